import type { QueryKey } from "@tanstack/react-query"
import { type Effect, Predicate } from "effect"
import { type ComponentProps, useState } from "react"
import { DeliveryState } from "../../../domain/webhooks/Webhook.ts"
import type { Client, EventId, IdempotencyKey } from "../../../rpc/Client.ts"
import { number } from "../data/format.ts"
import { type ListPage, usePagedQuery, useRpcMutation, useRpcQuery } from "../data/queries.ts"
import type { Call } from "../data/service.ts"
import { CodeBlock } from "../ui/display/Copyable.tsx"
import css from "../ui/display/Display.module.css"
import { EmptyState, ErrorNotice, QueryBoundary } from "../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../ui/display/Table.tsx"
import { toast } from "../ui/display/Toasts.tsx"
import { StatusBadge, type StatusLabel, Time, type Tone } from "../ui/display/Values.tsx"
import { Button } from "../ui/form/Button.tsx"
import { SelectField } from "../ui/form/Field.tsx"
import { Dialog } from "../ui/layout/Dialog.tsx"
import { Card, Facts, MutedText, Row, Stack } from "../ui/layout/Page.tsx"
import { webhookTexts } from "./webhookTexts.ts"

const tones: Readonly<Record<DeliveryState, Tone>> = {
  pending: "accent",
  delivered: "good",
  dead: "alert",
  skipped: "plain",
  canceled: "plain",
  held: "warn"
}

export const DeliveryStatusBadge = ({ state }: { readonly state: DeliveryState }) => (
  <StatusBadge tone={tones[state]} word={webhookTexts.deliveryStates[state]} />
)

interface Delivery {
  readonly eventId: EventId
  readonly installationId: string
  readonly state: DeliveryState
  readonly attempts: number
}

/** Status and attempts of a delivery. */
export const deliveryColumns: ReadonlyArray<Column<Delivery>> = [
  { name: webhookTexts.deliveries.status, cell: ({ state }) => <DeliveryStatusBadge state={state} /> },
  { name: webhookTexts.deliveries.attempts, isNumber: true, cell: ({ attempts }) => number(attempts) }
]

const detailsColumn = <Item,>(label: (delivery: Item) => string, open: (delivery: Item) => void): Column<Item> => ({
  name: webhookTexts.deliveries.details,
  isNameHidden: true,
  cell: (delivery) => (
    <Button kind="quiet" aria-label={label(delivery)} onClick={() => open(delivery)}>
      {webhookTexts.deliveries.viewDetails}
    </Button>
  )
})

interface DeliveryListProps<Item, E> {
  readonly listKey: QueryKey
  readonly list: (filter: {
    readonly cursor?: EventId
    readonly state?: DeliveryState
  }) => Call<ListPage<Item, EventId>, E>
  readonly columns: ReadonlyArray<Column<Item>>
  /** Label of the button that opens the details. */
  readonly detailsLabel: (delivery: Item) => string
  readonly onOpen: (delivery: Item) => void
  /** Advice while there are no deliveries. */
  readonly advice: string
  /** Returns true while the list is polled. Without it, a button refreshes the list. */
  readonly isPolled?: (items: ReadonlyArray<Item>, state: DeliveryState | undefined) => boolean
}

/** Deliveries of an app, newest first. */
export const DeliveryList = <Item extends Delivery, E>({
  advice,
  columns,
  detailsLabel,
  isPolled,
  list,
  listKey,
  onOpen
}: DeliveryListProps<Item, E>) => {
  const [state, setState] = useState<DeliveryState>()
  const { query, items, more } = usePagedQuery(
    [...listKey, state ?? "all"],
    (cursor: { readonly cursor?: EventId }) => list({ ...cursor, ...(state === undefined ? {} : { state }) }),
    { isPolled: (all) => isPolled?.(all, state) ?? false }
  )
  if (Predicate.isTagged(query.error, "WebhookNotFound"))
    return (
      <EmptyState title={webhookTexts.deliveries.noWebhook}>
        <p>{webhookTexts.deliveries.noWebhookAdvice}</p>
      </EmptyState>
    )
  return (
    <Card
      title={webhookTexts.deliveries.title}
      actions={
        <Row>
          <div className={css["stateFilter"]}>
            <SelectField
              label={webhookTexts.deliveries.status}
              value={state ?? ""}
              onChange={({ target }) => setState(DeliveryState.literals.find((one) => one === target.value))}
            >
              <option value="">{webhookTexts.deliveries.allStates}</option>
              {DeliveryState.literals.map((one) => (
                <option key={one} value={one}>
                  {webhookTexts.deliveryStates[one]}
                </option>
              ))}
            </SelectField>
          </div>
          {isPolled === undefined ? (
            <Button isBusy={query.isRefetching} onClick={() => void query.refetch()}>
              {webhookTexts.deliveries.refresh}
            </Button>
          ) : undefined}
        </Row>
      }
    >
      <QueryBoundary query={{ ...query, data: items }}>
        {(deliveries) => (
          <>
            {deliveries.length > 0 ? (
              <Table
                caption={webhookTexts.deliveries.title}
                rows={deliveries}
                keyOf={({ eventId, installationId }) => `${eventId} ${installationId}`}
                columns={[...columns, detailsColumn(detailsLabel, onOpen)]}
              />
            ) : more.hasMore ? undefined : (
              <EmptyState
                title={state === undefined ? webhookTexts.deliveries.noDeliveries : webhookTexts.deliveries.noMatches}
              >
                <p>{state === undefined ? advice : webhookTexts.deliveries.chooseOtherStatus}</p>
              </EmptyState>
            )}
            <More {...more} />
          </>
        )}
      </QueryBoundary>
    </Card>
  )
}

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
