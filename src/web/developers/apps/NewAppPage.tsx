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

const appTypeLabels: Readonly<Record<NewApp["type"], string>> = {
  confidential: "Confidential: runs on a server that keeps a secret",
  public: "Public: runs on users' devices, without a secret"
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
  <Page title={`${name} registered`} above={<BackToApps />}>
    <Card title={secret === null ? "Next step" : "Save your client secret"}>
      {secret === null ? (
        <p>This app has no secret. Its client ID is on the app page.</p>
      ) : (
        <SecretField
          label="Client secret"
          value={secret}
          hint="This secret is shown only once. Store it on your server, not in code. If you lose it, create a new one."
        />
      )}
      <Row>
        <Link to="/developers/apps/$appId" params={{ appId: id }} className={buttonClass("strong")}>
          Get started
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
    const read = parseNewApp(draft, type)
    setInputError(Result.isFailure(read) ? read.failure : undefined)
    if (Result.isSuccess(read)) creating.mutate(read.success)
  }
  return (
    <Page title="Register app" above={<BackToApps />}>
      <form ref={form} onSubmit={register} noValidate>
        <Stack>
          <Card title="App type">
            <SelectField
              label="Type"
              hint="You cannot change the type later."
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
              {" "}
              Register app{" "}
            </Button>
          </Row>
        </Stack>
      </form>
      <UnsavedChangesGuard isUnsaved={draft !== EMPTY_DRAFT}>
        <p>This app is not registered yet. Your entries will be lost.</p>
      </UnsavedChangesGuard>
    </Page>
  )
}
