import { useQuery } from "@tanstack/react-query"
import { Predicate, Result, Schema } from "effect"
import { type FormEvent, useState } from "react"
import { EVENTS } from "../../../domain/Events.ts"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import { decodeWith } from "../../../domain/json/Decoder.ts"
import { EventKind } from "../../../domain/Events.ts"
import { SubscribedKinds } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { type Problems, fieldProblemsOf } from "../../shared/data/errorMessages.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { SaveForm } from "../../shared/ui/form/SaveForm.tsx"
import { CheckField, Fieldset, TextField } from "../../shared/ui/form/Field.tsx"
import { Card, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { SecretField } from "../../shared/ui/display/Copyable.tsx"
import { QueryBoundary, ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useApp } from "./AppPage.tsx"
import { webhookQuery } from "./appQueries.ts"
import css from "./Apps.module.css"
import { SigningSecret } from "./SigningSecret.tsx"
import { TestWebhook } from "./TestWebhook.tsx"
import { type Webhook, WebhookStatusCard } from "./WebhookStatusCard.tsx"
import { portalTexts } from "./portalTexts.ts"

/** Validates the form in the browser before it is sent. */
const decode = decodeWith(Schema.Struct({ url: Schema.String, kinds: SubscribedKinds }))

const problemsIn = (error: unknown): Problems =>
  Predicate.isTagged(error, "WebhookUrlRefused") && error instanceof Error
    ? { url: error.message }
    : fieldProblemsOf(error)

/** Form of the endpoint URL and its event types. */
const WebhookForm = ({ appId, webhook }: { readonly appId: AppId; readonly webhook: Webhook | null }) => {
  const [url, setUrl] = useState(webhook?.url ?? "")
  const [kinds, setKinds] = useState<ReadonlyArray<EventKind>>(webhook?.kinds ?? EventKind.literals)
  const [secret, setSecret] = useState<string>()
  const setting = useRpcMutation({
    write: (client, to: Pick<Webhook, "url" | "kinds">, idempotencyKey) =>
      client.appWebhooks.set({ idempotencyKey, id: appId, ...to }),
    invalidates: [["app", appId, "webhook"]],
    onSuccess: (set) => {
      setUrl(set.url)
      if (set.secret !== null) setSecret(set.secret)
      toast(portalTexts.webhook.saved)
    }
  })
  const [inputError, setInputError] = useState<BadRequest>()
  const error = inputError ?? setting.error
  const problems = problemsIn(error)
  const set = (event: FormEvent) => {
    event.preventDefault()
    const parsed = decode({ url, kinds }, true)
    setInputError(Result.isFailure(parsed) ? parsed.failure : undefined)
    if (Result.isSuccess(parsed)) setting.mutate(parsed.success)
  }
  return (
    <>
      {secret === undefined ? undefined : (
        <Card title={portalTexts.webhook.saveSecret}>
          <SecretField label={portalTexts.webhook.secret} value={secret} hint={portalTexts.webhook.secretHint} />
        </Card>
      )}
      <Card title={webhook === null ? portalTexts.webhook.setUp : portalTexts.webhook.endpoint}>
        <SaveForm onSubmit={set}>
          <Stack>
            <TextField
              label={portalTexts.webhook.url}
              type="url"
              placeholder={portalTexts.webhook.urlPlaceholder}
              hint={portalTexts.webhook.urlHint}
              value={url}
              problem={problems["url"]}
              onChange={({ target }) => setUrl(target.value)}
            />
            <Fieldset legend={portalTexts.webhook.events}>
              {EventKind.literals.map((kind) => (
                <CheckField
                  key={kind}
                  label={EVENTS[kind].title}
                  hint={<code>{kind}</code>}
                  checked={kinds.includes(kind)}
                  onChange={({ target }) =>
                    setKinds(target.checked ? [...kinds, kind] : kinds.filter((other) => other !== kind))
                  }
                />
              ))}
              {problems["kinds"] === undefined ? undefined : <p className={css["problem"]}>{problems["kinds"]}</p>}
            </Fieldset>
            {error === null || Object.keys(problems).length > 0 ? undefined : <ErrorNotice error={error} />}
            <Row>
              <Button kind="strong" type="submit" isBusy={setting.isPending}>
                {webhook === null ? portalTexts.webhook.setUp : portalTexts.webhook.save}
              </Button>
            </Row>
          </Stack>
        </SaveForm>
      </Card>
    </>
  )
}

/** Webhook of an app. */
export const WebhookPanel = () => {
  const appId = useApp().app.id
  const query = useQuery(webhookQuery(appId))
  return (
    <Stack>
      <QueryBoundary query={query}>
        {(webhook) => (
          <>
            {webhook === null ? undefined : <WebhookStatusCard appId={appId} webhook={webhook} />}
            <WebhookForm appId={appId} webhook={webhook} />
            {webhook === null ? undefined : (
              <>
                <TestWebhook appId={appId} />
                <SigningSecret appId={appId} liveSecrets={webhook.liveSecrets} />
              </>
            )}
          </>
        )}
      </QueryBoundary>
    </Stack>
  )
}
