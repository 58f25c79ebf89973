import { useState, type FormEvent } from "react"
import { useQuery } from "@tanstack/react-query"
import { Predicate, Result, Schema } from "effect"
import { OVERLAP_HOURS, type TestDelivery, SubscribedKinds } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { EventKind } from "../../../domain/Events.ts"
import type { BadRequest } from "../../../domain/BadRequest.ts"
import { decodeWith } from "../../../domain/json/Decoder.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { SelectField, CheckField, Fieldset, TextField } from "../../shared/ui/form/Field.tsx"
import { Card, MutedText, Row, Stack, Facts } from "../../shared/ui/layout/Page.tsx"
import { SecretField, CodeBlock } from "../../shared/ui/display/Copyable.tsx"
import { Badge, Sentence } from "../../shared/ui/display/Values.tsx"
import { ErrorNotice, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { webhookTexts } from "../../shared/webhooks/webhookTexts.ts"
import { type Problems, fieldProblemsOf } from "../../shared/data/errorMessages.ts"
import { SaveForm } from "../../shared/ui/form/SaveForm.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { portalTexts } from "./portalTexts.ts"
import { useApp } from "./AppPage.tsx"
import { webhookQuery } from "./appQueries.ts"
import css from "./Portal.module.css"
import { type Webhook, WebhookStatusCard } from "./WebhookStatusCard.tsx"

type Before = "overlap" | "end"

/** Rotates the secret that signs deliveries. */
const SigningSecret = ({ appId, liveSecrets }: { readonly appId: AppId; readonly liveSecrets: number }) => {
  const [isConfirming, setConfirming] = useState(false)
  const [before, setBefore] = useState<Before>("overlap")
  const rotating = useRpcMutation({
    write: (client, what: Before, idempotencyKey) =>
      client.appWebhooks.rotateSecret({ idempotencyKey, id: appId, before: what }),
    invalidates: [["app", appId, "webhook"]],
    onSuccess: () => setConfirming(false)
  })
  const secret = rotating.data?.secret
  return (
    <Card title={portalTexts.signingSecret.title}>
      <MutedText>
        {liveSecrets === 1 ? portalTexts.signingSecret.oneSecret : portalTexts.signingSecret.twoSecrets}
      </MutedText>
      {typeof secret === "string" ? (
        <SecretField
          label={portalTexts.signingSecret.newSecret}
          value={secret}
          hint={portalTexts.signingSecret.newSecretHint}
        />
      ) : undefined}
      <Row>
        <Button onClick={() => setConfirming(true)}>{portalTexts.signingSecret.openRotate}</Button>
      </Row>
      <Confirm
        title={portalTexts.signingSecret.confirm}
        action={portalTexts.signingSecret.rotate}
        isOpen={isConfirming}
        close={() => setConfirming(false)}
        confirm={() => rotating.mutate(before)}
        isBusy={rotating.isPending}
        error={rotating.error}
      >
        <Stack>
          <p>{portalTexts.signingSecret.rotateAdvice}</p>
          <SelectField
            label={portalTexts.signingSecret.current}
            value={before}
            onChange={({ target }) => setBefore(target.value === "end" ? "end" : "overlap")}
          >
            <option value="overlap">{portalTexts.signingSecret.keepFor(OVERLAP_HOURS)}</option>
            <option value="end">{portalTexts.signingSecret.expireNow}</option>
          </SelectField>
        </Stack>
      </Confirm>
    </Card>
  )
}

const TestResult = ({ answer, durationMillis, error, eventId, status }: TestDelivery) => {
  const isSuccess = status !== null && status >= 200 && status < 300
  return (
    <>
      <output>
        <Badge tone={isSuccess ? "good" : "alert"}>
          {isSuccess ? webhookTexts.deliveryStates.delivered : webhookTexts.deliveryStates.dead}
        </Badge>
      </output>
      <Facts
        facts={[
          [
            portalTexts.test.response,
            status === null ? (error ?? portalTexts.test.noResponse) : webhookTexts.deliveries.httpStatus(status)
          ],
          [
            webhookTexts.deliveries.duration,
            durationMillis === null ? "–" : webhookTexts.deliveries.milliseconds(durationMillis)
          ],
          [webhookTexts.deliveries.event, <code key="id">{eventId}</code>]
        ]}
      />
      {answer === null || answer === "" ? undefined : (
        <CodeBlock title={webhookTexts.deliveries.responseBody} text={answer} isWrapped />
      )}
    </>
  )
}

/** Sends a test event and shows the response of the endpoint. */
const TestWebhook = ({ appId }: { readonly appId: AppId }) => {
  const testing = useRpcMutation({
    write: (client) => client.appWebhooks.test({ id: appId }),
    invalidates: [["app", appId, "webhook"]]
  })
  return (
    <Card title={portalTexts.test.title}>
      <MutedText>
        <Sentence text={portalTexts.test.advice}>
          <code>webhook.test.v1</code>
        </Sentence>
      </MutedText>
      <Row>
        <Button isBusy={testing.isPending} onClick={() => testing.mutate(undefined)}>
          {testing.isPending ? portalTexts.test.sending : portalTexts.test.send}
        </Button>
      </Row>
      {testing.error === null ? undefined : <ErrorNotice error={testing.error} />}
      {testing.data === undefined ? undefined : <TestResult {...testing.data} />}
    </Card>
  )
}

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
                  label={webhookTexts.events[kind]}
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
