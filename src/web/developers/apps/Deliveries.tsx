import { Predicate } from "effect"
import { useMemo, useState } from "react"
import { type Delivery, DeliveryState } from "../../../domain/webhooks/Webhook.ts"
import type { AppId, EventId } from "../../../rpc/Client.ts"
import { number, time } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import { Button } from "../../ui/form/Button.tsx"
import { SelectField } from "../../ui/form/Field.tsx"
import { Card, Row, Stack } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"
import { webhookTexts } from "../../webhooks/webhookTexts.ts"
import { DeliveryStatusBadge } from "../../webhooks/DeliveryStatusBadge.tsx"
import css from "./Apps.module.css"
import { DeliveryDialog } from "./DeliveryDialog.tsx"
import { developerTexts } from "../developerTexts.ts"

const columnsOf = (open: (delivery: Delivery) => void): ReadonlyArray<Column<Delivery>> => [
  { name: webhookTexts.deliveries.event, cell: ({ kind }) => <code>{kind}</code> },
  { name: webhookTexts.deliveries.occurred, cell: ({ createdAt }) => time(createdAt) },
  { name: webhookTexts.deliveries.status, cell: (one) => <DeliveryStatusBadge state={one.state} /> },
  { name: webhookTexts.deliveries.attempts, isNumber: true, cell: ({ attempts }) => number(attempts) },
  {
    name: webhookTexts.deliveries.nextAttempt,
    cell: ({ attempts, nextAt }) => (nextAt === null || attempts === 0 ? "–" : time(nextAt))
  },
  {
    name: webhookTexts.deliveries.details,
    isNameHidden: true,
    cell: (one) => (
      <Button kind="quiet" aria-label={developerTexts.deliveries.viewDetails(one.eventId)} onClick={() => open(one)}>
        {webhookTexts.deliveries.viewDetails}
      </Button>
    )
  }
]

/** Deliveries of an app, newest first. */
export const Deliveries = ({ appId }: { readonly appId: AppId }) => {
  const [state, setState] = useState<DeliveryState>()
  const [open, setOpen] = useState<Delivery>()
  const columns = useMemo(() => columnsOf(setOpen), [])
  const { query, items, more } = usePagedQuery(
    ["app", appId, "deliveries", state ?? "all"],
    (cursor: { readonly cursor?: EventId }) => (client) =>
      client.appDeliveries.list({ id: appId, ...cursor, ...(state === undefined ? {} : { state }) })
  )
  if (Predicate.isTagged(query.error, "WebhookNotFound"))
    return (
      <EmptyState title={developerTexts.deliveries.noWebhook}>
        <p>{developerTexts.deliveries.noWebhookAdvice}</p>
      </EmptyState>
    )
  return (
    <Stack>
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
        <Button isBusy={query.isRefetching} onClick={() => void query.refetch()}>
          {developerTexts.deliveries.refresh}
        </Button>
      </Row>
      <QueryBoundary query={{ data: items, error: query.error, refetch: query.refetch }}>
        {(deliveries) =>
          deliveries.length === 0 && !more.hasMore ? (
            <EmptyState
              title={state === undefined ? webhookTexts.deliveries.noDeliveries : webhookTexts.deliveries.noMatches}
            >
              <p>
                {state === undefined
                  ? developerTexts.deliveries.noDeliveriesAdvice
                  : webhookTexts.deliveries.chooseOtherStatus}
              </p>
            </EmptyState>
          ) : (
            <Card>
              <Table
                caption={webhookTexts.deliveries.title}
                rows={deliveries}
                keyOf={({ eventId, installationId }) => `${eventId} ${installationId}`}
                columns={columns}
              />
              <More {...more} />
            </Card>
          )
        }
      </QueryBoundary>
      {open === undefined ? undefined : (
        <DeliveryDialog appId={appId} delivery={open} close={() => setOpen(undefined)} />
      )}
    </Stack>
  )
}
