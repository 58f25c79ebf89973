import { type RefObject, useEffect } from "react"
import type { Problems } from "./collectionDraft.ts"

/** Focuses the first invalid field after a failed save. */
export const useFocusFirstProblem = (form: RefObject<HTMLElement | null>, problems: Problems): void => {
  useEffect(() => {
    if (problems.size > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [form, problems])
}
