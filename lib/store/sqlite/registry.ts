import type { Id } from "../port.ts";
import { sql } from "./fragment.ts";
import type { FileSpace } from "./space.ts";

/**
 * The projects that have a file, stored in the control file. If the file of a registered project is
 * missing, its data is lost; an unregistered project was never written to.
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
