import { testOwnerWrites } from "./owner_writes.ts";

testOwnerWrites("PUT", "replaced");
