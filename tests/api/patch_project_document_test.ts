import { testOwnerWrites } from "./owner_writes.ts";

testOwnerWrites("PATCH", "changed");
