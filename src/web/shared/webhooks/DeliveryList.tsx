import type { QueryKey } from "@tanstack/react-query"
import { Predicate } from "effect"
import { useState } from "react"
import { DeliveryState } from "../../../domain/webhooks/Webhook.ts"
import type { EventId } from "../../../rpc/Client.ts"
import { number } from "../data/format.ts"
import type { Call } from "../data/service.ts"
import { type ListPage, usePagedQuery } from "../data/usePagedQuery.ts"
import { EmptyState, QueryBoundary } from "../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../ui/display/Table.tsx"
import { Button } from "../ui/form/Button.tsx"
import { SelectField } from "../ui/form/Field.tsx"
import { Card, Row } from "../ui/layout/Page.tsx"
import css from "./DeliveryList.module.css"
import { DeliveryStatusBadge } from "./DeliveryStatusBadge.tsx"
import { webhookTexts } from "./webhookTexts.ts"

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
          <div className={css["filter"]}>
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
