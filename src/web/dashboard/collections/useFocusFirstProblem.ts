import { type RefObject, useEffect } from "react"
import type { Problems } from "./collectionDraft.ts"

/** Leads who saved a form with something wrong in it to the first field that is. */
export const useFocusFirstProblem = (form: RefObject<HTMLElement | null>, problems: Problems): void => {
  useEffect(() => {
    if (problems.size > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [form, problems])
}
