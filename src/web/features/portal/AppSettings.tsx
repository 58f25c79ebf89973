import { Result } from "effect"
import { type FormEvent, useEffect, useRef, useState } from "react"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { SaveForm } from "../../shared/ui/form/SaveForm.tsx"
import { MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import type { AppPatch } from "../../../rpc/Client.ts"
import { draftOf, parsePatch, problemsIn } from "./appDraft.ts"
import { AppFields } from "./AppFields.tsx"
import { useApp } from "./AppPage.tsx"
import { portalTexts } from "./portalTexts.ts"
import { uiTexts } from "../../shared/sharedTexts.ts"

/** Form of the settings that can change after registration. */
export const AppSettings = () => {
  const { app, draft, isUnsaved, setDraft } = useApp()
  const form = useRef<HTMLFormElement>(null)
  const saving = useRpcMutation({
    write: (client, patch: AppPatch, idempotencyKey) => client.apps.update({ idempotencyKey, id: app.id, patch }),
    invalidates: [["app", app.id], ["apps"]],
    onSuccess: () => {
      setDraft(undefined)
      toast(portalTexts.settings.saved)
    }
  })
  const [inputError, setInputError] = useState<BadRequest>()
  const error = inputError ?? saving.error
  const problems = problemsIn(error)
  useEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [error])
  const save = (event: FormEvent) => {
    event.preventDefault()
    const parsed = parsePatch(draft)
    setInputError(Result.isFailure(parsed) ? parsed.failure : undefined)
    if (Result.isSuccess(parsed)) saving.mutate(parsed.success)
  }
  return (
    <SaveForm form={form} onSubmit={save}>
      <Stack>
        <AppFields draft={draft} problems={problems} change={(changed) => setDraft({ ...draft, ...changed })} />
        <MutedText>{portalTexts.settings.permissionsAdvice}</MutedText>
        {error === null || Object.keys(problems).length > 0 ? undefined : <ErrorNotice error={error} />}
        <Row>
          <Button kind="strong" type="submit" disabled={!isUnsaved} isBusy={saving.isPending}>
            {uiTexts.saveBar.save}
          </Button>
          <Button disabled={!isUnsaved || saving.isPending} onClick={() => setDraft(draftOf(app))}>
            {uiTexts.saveBar.discard}
          </Button>
        </Row>
      </Stack>
    </SaveForm>
  )
}
