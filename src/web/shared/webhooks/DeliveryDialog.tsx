import { Time } from "../ui/display/Time.tsx"
import type { ComponentProps } from "react"
import type { QueryKey } from "@tanstack/react-query"
import type { Effect } from "effect"
import type { IdempotencyKey, Client } from "../../../rpc/Client.ts"
import { useRpcMutation, useRpcQuery } from "../data/queries.ts"
import type { Call } from "../data/service.ts"
import { type StatusLabel, StatusBadge } from "../ui/display/Badge.tsx"
import { CodeBlock } from "../ui/display/CodeBlock.tsx"
import { ErrorNotice, QueryBoundary } from "../ui/display/QueryBoundary.tsx"
import { toast } from "../ui/display/Toasts.tsx"
import { Button } from "../ui/form/Button.tsx"
import { Dialog } from "../ui/layout/Dialog.tsx"
import { Facts, MutedText, Row, Stack } from "../ui/layout/Page.tsx"
import { webhookTexts } from "./webhookTexts.ts"

/** Attempt of a delivery. Only the app's developers see the response body, `answer`. */
interface Attempt {
  readonly installationId?: string
  readonly attempt: number
  readonly startedAt: Date | string
  readonly durationMillis: number | null
  readonly status: number | null
  readonly answer?: string | null
  readonly error: string | null
}

const attemptStatus = ({ error, status }: Attempt): StatusLabel => {
  if (status !== null)
    return { word: webhookTexts.deliveries.httpStatus(status), tone: status >= 200 && status < 300 ? "good" : "alert" }
  return error === null
    ? { word: webhookTexts.deliveries.inProgress, tone: "accent" }
    : { word: webhookTexts.deliveries.noResponse, tone: "alert" }
}

const AttemptDetails = ({ answer, ...attempt }: Attempt) => (
  <>
    <Row>
      <h3>{webhookTexts.deliveries.attempt(attempt.attempt)}</h3>
      <StatusBadge {...attemptStatus(attempt)} />
    </Row>
    <Facts
      facts={[
        [webhookTexts.deliveries.sent, <Time key="sent" at={attempt.startedAt} />],
        [
          webhookTexts.deliveries.duration,
          attempt.durationMillis === null ? "–" : webhookTexts.deliveries.milliseconds(attempt.durationMillis)
        ],
        ...(attempt.error === null ? [] : [[webhookTexts.deliveries.error, attempt.error] as const])
      ]}
    />
    {answer ? <CodeBlock title={webhookTexts.deliveries.responseBody} text={answer} isWrapped /> : undefined}
  </>
)

interface AttemptLog {
  readonly log: ReadonlyArray<Attempt>
}

interface DeliveryDialogProps<A, E, F> {
  readonly title: string
  /** Key of the deliveries, which a resent event changes. */
  readonly listKey: QueryKey
  readonly eventId: string
  readonly details: Call<A & AttemptLog, E>
  readonly refetchInterval?: number
  readonly facts: (details: A) => ComponentProps<typeof Facts>["facts"]
  readonly redeliver: (client: Client, idempotencyKey: IdempotencyKey) => Effect.Effect<unknown, F>
  readonly onQueued?: () => void
  readonly close: () => void
}

/** Attempts of a delivery, and a button to resend it. */
export const DeliveryDialog = <A, E, F>({
  close,
  details,
  eventId,
  facts,
  listKey,
  onQueued,
  redeliver,
  title,
  ...polling
}: DeliveryDialogProps<A, E, F>) => {
  const query = useRpcQuery([...listKey, "details", eventId], details, polling)
  const sending = useRpcMutation({
    write: (client, _: void, idempotencyKey) => redeliver(client, idempotencyKey),
    invalidates: [listKey],
    onSuccess: () => {
      toast(webhookTexts.deliveries.queued)
      onQueued?.()
    }
  })
  return (
    <Dialog title={title} isOpen close={close} isWide>
      <QueryBoundary query={query}>
        {(delivery) => (
          <Stack>
            <Facts facts={facts(delivery)} />
            {delivery.log.length === 0 ? <MutedText>{webhookTexts.deliveries.noAttempts}</MutedText> : undefined}
            {delivery.log.map((attempt) => (
              <AttemptDetails key={`${attempt.installationId} ${attempt.attempt}`} {...attempt} />
            ))}
          </Stack>
        )}
      </QueryBoundary>
      {sending.error === null ? undefined : <ErrorNotice error={sending.error} />}
      <Row>
        <Button onClick={() => sending.mutate()} isBusy={sending.isPending}>
          {webhookTexts.deliveries.resend}
        </Button>
      </Row>
    </Dialog>
  )
}
