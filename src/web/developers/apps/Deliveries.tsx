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

const columnsOf = (open: (delivery: Delivery) => void): ReadonlyArray<Column<Delivery>> => [
  { name: "Event", cell: ({ kind }) => <code>{kind}</code> },
  { name: "Occurred", cell: ({ createdAt }) => time(createdAt) },
  { name: "Status", cell: (one) => <DeliveryStatusBadge state={one.state} /> },
  { name: "Attempts", isNumber: true, cell: ({ attempts }) => number(attempts) },
  {
    name: "Next attempt",
    cell: ({ attempts, nextAt }) => (nextAt === null || attempts === 0 ? "–" : time(nextAt))
  },
  {
    name: "Details",
    isNameHidden: true,
    cell: (one) => (
      <Button kind="quiet" aria-label={`View details of ${one.eventId}`} onClick={() => open(one)}>
        {" "}
        View details{" "}
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
      <EmptyState title="This app has no webhook">
        <p>Set up a webhook to receive events. Deliveries of the last 30 days appear here.</p>
      </EmptyState>
    )
  return (
    <Stack>
      <Row>
        <div className={css["filter"]}>
          <SelectField
            label="Status"
            value={state ?? ""}
            onChange={({ target }) => setState(DeliveryState.literals.find((one) => one === target.value))}
          >
            <option value="">All deliveries</option>
            {DeliveryState.literals.map((one) => (
              <option key={one} value={one}>
                {webhookTexts.deliveryStates[one]}
              </option>
            ))}
          </SelectField>
        </div>
        <Button isBusy={query.isRefetching} onClick={() => void query.refetch()}>
          Refresh
        </Button>
      </Row>
      <QueryBoundary query={{ data: items, error: query.error, refetch: query.refetch }}>
        {(deliveries) =>
          deliveries.length === 0 && !more.hasMore ? (
            <EmptyState title={state === undefined ? "No deliveries yet" : "No deliveries with this status"}>
              <p>
                {state === undefined
                  ? "Events from the stores that have this app appear here."
                  : "Choose another status to see more deliveries."}
              </p>
            </EmptyState>
          ) : (
            <Card>
              <Table
                caption="Deliveries"
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
