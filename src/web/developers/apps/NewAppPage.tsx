import { Link } from "@tanstack/react-router"
import { Result } from "effect"
import { type FormEvent, useEffect, useRef, useState } from "react"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import { AppType } from "../../../domain/access/Developers.ts"
import type { AppId, NewApp } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button, buttonClass } from "../../ui/form/Button.tsx"
import { SelectField } from "../../ui/form/Field.tsx"
import { Card, Page, Row, Stack } from "../../ui/layout/Page.tsx"
import { SecretField } from "../../ui/form/SecretField.tsx"
import { ErrorNotice } from "../../ui/display/QueryBoundary.tsx"
import { UnsavedChangesGuard } from "../../ui/form/UnsavedChangesGuard.tsx"
import { EMPTY_DRAFT, parseNewApp, problemsIn } from "./appDraft.ts"
import { AppFields } from "./AppFields.tsx"
import { BackToApps } from "./BackToApps.tsx"
import { developerTexts } from "../developerTexts.ts"

const appTypeLabels: Readonly<Record<NewApp["type"], string>> = {
  confidential: developerTexts.register.types.confidential,
  public: developerTexts.register.types.public
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
  <Page title={developerTexts.register.registered(name)} above={<BackToApps />}>
    <Card title={secret === null ? developerTexts.register.nextStep : developerTexts.register.saveSecret}>
      {secret === null ? (
        <p>{developerTexts.register.noSecret}</p>
      ) : (
        <SecretField label={developerTexts.register.secret} value={secret} hint={developerTexts.register.secretHint} />
      )}
      <Row>
        <Link to="/developers/apps/$appId" params={{ appId: id }} className={buttonClass("strong")}>
          {developerTexts.register.getStarted}
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
    <Page title={developerTexts.register.title} above={<BackToApps />}>
      <form ref={form} onSubmit={register} noValidate>
        <Stack>
          <Card title={developerTexts.register.appType}>
            <SelectField
              label={developerTexts.register.type}
              hint={developerTexts.register.typeHint}
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
              {developerTexts.register.title}
            </Button>
          </Row>
        </Stack>
      </form>
      <UnsavedChangesGuard isUnsaved={draft !== EMPTY_DRAFT}>
        <p>{developerTexts.register.unsaved}</p>
      </UnsavedChangesGuard>
    </Page>
  )
}
