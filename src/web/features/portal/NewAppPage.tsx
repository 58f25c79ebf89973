import { Link } from "@tanstack/react-router"
import { Result } from "effect"
import { type FormEvent, useEffect, useRef, useState } from "react"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import { AppType } from "../../../domain/access/Developers.ts"
import type { AppId, NewApp } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button, buttonClass } from "../../shared/ui/form/Button.tsx"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { Card, Page, Row, Stack, BackLink } from "../../shared/ui/layout/Page.tsx"
import { SecretField } from "../../shared/ui/display/Copyable.tsx"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { UnsavedChangesGuard } from "../../shared/ui/form/SaveForm.tsx"
import { EMPTY_DRAFT, parseNewApp, problemsIn } from "./appDraft.ts"
import { AppFields } from "./AppFields.tsx"
import { portalTexts } from "./portalTexts.ts"

const appTypeLabels: Readonly<Record<NewApp["type"], string>> = {
  confidential: portalTexts.register.types.confidential,
  public: portalTexts.register.types.public
}

const RegisteredApp = ({
  id,
  name,
  secret
}: {
  readonly id: AppId
  readonly name: string
  readonly secret: string | null
}) => (
  <Page
    title={portalTexts.register.registered(name)}
    above={<BackLink to="/developers">{portalTexts.backToApps}</BackLink>}
  >
    <Card title={secret === null ? portalTexts.register.nextStep : portalTexts.register.saveSecret}>
      {secret === null ? (
        <p>{portalTexts.register.noSecret}</p>
      ) : (
        <SecretField label={portalTexts.register.secret} value={secret} hint={portalTexts.register.secretHint} />
      )}
      <Row>
        <Link to="/developers/apps/$appId" params={{ appId: id }} className={buttonClass("strong")}>
          {portalTexts.register.getStarted}
        </Link>
      </Row>
    </Card>
  </Page>
)

/** Registers an app, then shows its client secret once. */
export const NewAppPage = () => {
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [type, setType] = useState<NewApp["type"]>("confidential")
  const form = useRef<HTMLFormElement>(null)
  const creating = useRpcMutation({
    write: (client, app: NewApp, idempotencyKey) => client.apps.create({ idempotencyKey, app }),
    invalidates: [["apps"]]
  })
  const [inputError, setInputError] = useState<BadRequest>()
  const error = inputError ?? creating.error
  const problems = problemsIn(error)
  useEffect(() => form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [error])
  if (creating.data !== undefined) {
    const { clientSecret, id, name } = creating.data
    return <RegisteredApp id={id} name={name} secret={clientSecret} />
  }
  const register = (event: FormEvent) => {
    event.preventDefault()
    const parsed = parseNewApp(draft, type)
    setInputError(Result.isFailure(parsed) ? parsed.failure : undefined)
    if (Result.isSuccess(parsed)) creating.mutate(parsed.success)
  }
  return (
    <Page title={portalTexts.register.title} above={<BackLink to="/developers">{portalTexts.backToApps}</BackLink>}>
      <form ref={form} onSubmit={register} noValidate>
        <Stack>
          <Card title={portalTexts.register.appType}>
            <SelectField
              label={portalTexts.register.type}
              hint={portalTexts.register.typeHint}
              value={type}
              onChange={({ target }) => setType(target.value === "public" ? "public" : "confidential")}
            >
              {AppType.literals.map((one) => (
                <option key={one} value={one}>
                  {appTypeLabels[one]}
                </option>
              ))}
            </SelectField>
          </Card>
          <AppFields draft={draft} problems={problems} change={(changed) => setDraft({ ...draft, ...changed })} />
          {error === null || Object.keys(problems).length > 0 ? undefined : <ErrorNotice error={error} />}
          <Row>
            <Button kind="strong" type="submit" isBusy={creating.isPending}>
              {portalTexts.register.title}
            </Button>
          </Row>
        </Stack>
      </form>
      <UnsavedChangesGuard isUnsaved={draft !== EMPTY_DRAFT}>
        <p>{portalTexts.register.unsaved}</p>
      </UnsavedChangesGuard>
    </Page>
  )
}
