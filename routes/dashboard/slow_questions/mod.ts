import type { Mount } from "../../handler.ts";
import { member } from "../guards.ts";
import { get, post } from "../pages.ts";
import { addAdvisedIndex, showSlowQuestions } from "./slow_questions.tsx";

const PATH = "/dashboard/projects/{projectId}/slow-questions";

export function slowQuestionsPages(mount: Mount): void {
  mount(get(PATH, member("viewer")), showSlowQuestions);
  mount(post(PATH, member("admin")), addAdvisedIndex);
}
