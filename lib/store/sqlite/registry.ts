import type { Id } from "../port.ts";
import { sql } from "./fragment.ts";
import type { FileSpace } from "./space.ts";

/**
 * Which projects have a file, kept in the control file. A registered one that is missing is a loss,
 * not a project that nobody has written to.
 */
export class Registry {
  readonly #control: FileSpace;

  constructor(control: FileSpace) {
    this.#control = control;
  }

  has(projectId: Id): boolean {
    return this.#control.reader.get(sql("select 1 from spaces where id = ?", projectId)) !==
      undefined;
  }

  all(): Id[] {
    return this.#control.reader.all(sql("select id from spaces")).map(([id]) => id as Id);
  }

  async add(projectId: Id): Promise<void> {
    await this.#control.write((db) =>
      db.run(sql("insert or ignore into spaces(id) values(?)", projectId))
    );
  }

  async remove(projectId: Id): Promise<void> {
    await this.#control.write((db) => db.run(sql("delete from spaces where id = ?", projectId)));
  }
}
