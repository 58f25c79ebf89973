import { useQueryClient } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import type { StoreDelivery as Delivered } from "../../../domain/webhooks/StoreWebhooks.ts"
import { DeliveryState } from "../../../domain/webhooks/Webhook.ts"
import type { EventId, InstallationId } from "../../../rpc/Client.ts"
import { time } from "../../data/format.ts"
import { usePagedQuery } from "../../data/usePagedQuery.ts"
import { useChanges } from "../../data/liveUpdates.ts"
import { Button } from "../../ui/form/Button.tsx"
import { SelectField } from "../../ui/form/Field.tsx"
import { Card } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/display/QueryBoundary.tsx"
import { type Column, More, Table } from "../../ui/display/Table.tsx"
import { useStoreId } from "../store.ts"
import css from "./Apps.module.css"
import { DeliveryDialog } from "./DeliveryDialog.tsx"
import { RelativeTime } from "./RelativeTime.tsx"
import { DeliveryStatusBadge } from "../../webhooks/DeliveryStatusBadge.tsx"
import { appTexts } from "./appTexts.ts"
import { webhookTexts } from "../../webhooks/webhookTexts.ts"

type StoreDelivery = typeof Delivered.Type

const PAGE_SIZE = 20

const parseState = (text: string) => DeliveryState.literals.find((state) => state === text)

/** Milliseconds before the next attempt, or before a lost attempt is repeated, from which the list is polled. */
const DUE_SOON_MILLIS = 30_000

const isUnderWay = ({ nextAt, state }: StoreDelivery) =>
  state === "pending" && nextAt !== null && Date.parse(nextAt) < Date.now() + DUE_SOON_MILLIS

const columnsOf = (open: (event: EventId) => void): ReadonlyArray<Column<StoreDelivery>> => [
  { name: webhookTexts.deliveries.event, cell: ({ kind }) => webhookTexts.events[kind] },
  { name: webhookTexts.deliveries.status, cell: ({ state }) => <DeliveryStatusBadge state={state} /> },
  { name: webhookTexts.deliveries.attempts, isNumber: true, cell: ({ attempts }) => attempts },
  { name: webhookTexts.deliveries.occurred, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    name: webhookTexts.deliveries.details,
    isNameHidden: true,
    cell: ({ createdAt, eventId }) => (
      <Button kind="quiet" aria-label={appTexts.deliveries.viewDetails(time(createdAt))} onClick={() => open(eventId)}>
        {webhookTexts.deliveries.viewDetails}
      </Button>
    )
  }
]

/** Deliveries to the app, newest first. */
export const Deliveries = ({ installationId }: { readonly installationId: InstallationId }) => {
  const storeId = useStoreId()
  const queryClient = useQueryClient()
  const [state, setState] = useState<DeliveryState>()
  const [open, setOpen] = useState<EventId>()
  const { query, items, more } = usePagedQuery(
    [storeId, "app", installationId, "deliveries", state ?? "all"],
    (page: { readonly cursor?: EventId }) => (client) =>
      client.deliveries.list({
        storeId,
        installationId,
        limit: PAGE_SIZE,
        ...(state === undefined ? {} : { state }),
        ...page
      }),
    // With a status filter, pending deliveries are not visible, so the list is polled anyway.
    { isPolled: (all) => (state !== undefined && state !== "pending") || all.some(isUnderWay) }
  )
  // A change in the store is about to be delivered.
  const refresh = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: [storeId, "app", installationId, "deliveries"] }),
    [queryClient, storeId, installationId]
  )
  useChanges(refresh)
  return (
    <Card
      title={webhookTexts.deliveries.title}
      actions={
        <div className={css["filter"]}>
          <SelectField
            label={webhookTexts.deliveries.status}
            value={state ?? ""}
            onChange={({ target }) => setState(parseState(target.value))}
          >
            <option value="">{webhookTexts.deliveries.allStates}</option>
            {DeliveryState.literals.map((one) => (
              <option key={one} value={one}>
                {webhookTexts.deliveryStates[one]}
              </option>
            ))}
          </SelectField>
        </div>
      }
    >
      <QueryBoundary query={{ ...query, data: items }}>
        {(deliveries) => (
          <>
            {deliveries.length === 0 ? (
              <EmptyState
                title={state === undefined ? webhookTexts.deliveries.noDeliveries : webhookTexts.deliveries.noMatches}
              >
                <p>
                  {state === undefined
                    ? appTexts.deliveries.noDeliveriesAdvice
                    : webhookTexts.deliveries.chooseOtherStatus}
                </p>
              </EmptyState>
            ) : (
              <Table
                caption={webhookTexts.deliveries.title}
                rows={deliveries}
                keyOf={({ eventId }) => eventId}
                columns={columnsOf(setOpen)}
              />
            )}
            <More {...more} />
          </>
        )}
      </QueryBoundary>
      {open === undefined ? undefined : (
        <DeliveryDialog installationId={installationId} eventId={open} close={() => setOpen(undefined)} />
      )}
    </Card>
  )
}
