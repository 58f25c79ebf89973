import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useState } from "react"
import type { InstallationId, EventId } from "../../../rpc/Client.ts"
import type { StoreDelivery as Delivered } from "../../../domain/webhooks/StoreWebhooks.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Card, Facts, MutedText, Stack } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { StatusBadge, RelativeTime, Time } from "../../shared/ui/display/Values.tsx"
import { useDates } from "../../shared/data/format.ts"
import { useChanges } from "../../shared/data/liveUpdates.tsx"
import type { Column } from "../../shared/ui/display/Table.tsx"
import {
  deliveryColumns,
  DeliveryList,
  DeliveryDialog,
  DeliveryStatusBadge
} from "../../shared/webhooks/Deliveries.tsx"
import { eventTitle, webhookTexts } from "../../shared/webhooks/webhookTexts.ts"
import { webhookQuery, useInstallationId } from "./appQueries.ts"
import { webhookStatus } from "./appStatus.ts"
import { appTexts } from "./appTexts.ts"
import css from "./Apps.module.css"

/** Webhook of an app. A member can pause its deliveries for the store. */
const WebhookCard = ({ installationId }: { readonly installationId: InstallationId }) => {
  const storeId = useStoreId()
  const params = { storeId, installationId }
  const query = useQuery(webhookQuery(params))
  const invalidates = [[storeId, "app", installationId]]
  const pause = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.webhooks.pause({ ...params, idempotencyKey }),
    invalidates,
    onSuccess: () => toast(appTexts.webhook.pausedToast)
  })
  const resume = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.webhooks.resume({ ...params, idempotencyKey }),
    invalidates,
    onSuccess: () => toast(appTexts.webhook.resumedToast)
  })
  const error = pause.error ?? resume.error
  const isPaused = query.data !== undefined && query.data.heldSince !== null
  return (
    <Card
      title={appTexts.webhook.title}
      actions={
        query.data === undefined || query.data.host === null ? undefined : (
          <Button onClick={() => (isPaused ? resume : pause).mutate()} isBusy={pause.isPending || resume.isPending}>
            {isPaused ? " " + appTexts.webhook.resume : appTexts.webhook.pause}
          </Button>
        )
      }
    >
      {error === null ? undefined : <ErrorNotice error={error} />}
      <QueryBoundary query={query} lines={2}>
        {(webhook) => {
          const { text, tone, word } = webhookStatus(webhook)
          return (
            <>
              <Facts
                facts={[
                  [appTexts.webhook.status, <StatusBadge key="status" tone={tone} word={word} />],
                  [appTexts.webhook.endpoint, webhook.host ?? appTexts.webhook.noEndpoint],
                  [
                    appTexts.webhook.events,
                    webhook.kinds.map((kind) => webhookTexts.events[kind]).join(", ") || appTexts.webhook.noEvents
                  ]
                ]}
              />
              <MutedText>
                {text}
                {isPaused ? ` ${appTexts.webhook.pausedAdvice}` : ""}
              </MutedText>
            </>
          )
        }}
      </QueryBoundary>
    </Card>
  )
}

type StoreDelivery = typeof Delivered.Type

const PAGE_SIZE = 20

/** Milliseconds before the next attempt, or before a lost attempt is repeated, from which the list is polled. */
const DUE_SOON_MILLIS = 30_000

const isUnderWay = ({ nextAt, state }: StoreDelivery) =>
  state === "pending" && nextAt !== null && Date.parse(nextAt) < Date.now() + DUE_SOON_MILLIS

const COLUMNS: ReadonlyArray<Column<StoreDelivery>> = [
  { name: webhookTexts.deliveries.event, cell: ({ kind }) => eventTitle(kind) },
  ...deliveryColumns,
  {
    name: webhookTexts.deliveries.occurred,
    cell: ({ createdAt }) => <RelativeTime className={css["when"]} at={createdAt} />
  }
]

const factsOf = ({ createdAt, kind, nextAt, state }: StoreDelivery) => [
  [webhookTexts.deliveries.event, eventTitle(kind)] as const,
  [webhookTexts.deliveries.occurred, <Time key="occurred" at={createdAt} />] as const,
  [webhookTexts.deliveries.status, <DeliveryStatusBadge key="status" state={state} />] as const,
  ...(nextAt === null ? [] : [[webhookTexts.deliveries.nextAttempt, <Time key="next" at={nextAt} />] as const])
]

/** Webhook of an app, and the deliveries of the store to it. */
export const Deliveries = () => {
  const storeId = useStoreId()
  const installationId = useInstallationId()
  const queryClient = useQueryClient()
  const { time } = useDates()
  const [eventId, setEventId] = useState<EventId>()
  const listKey = [storeId, "app", installationId, "deliveries"]
  // A change in the store is about to be delivered.
  const refresh = useCallback(
    () => void queryClient.invalidateQueries({ queryKey: [storeId, "app", installationId, "deliveries"] }),
    [queryClient, storeId, installationId]
  )
  useChanges(refresh)
  return (
    <Stack>
      <WebhookCard installationId={installationId} />
      <DeliveryList
        listKey={listKey}
        list={(filter) => (client) => client.deliveries.list({ storeId, installationId, limit: PAGE_SIZE, ...filter })}
        columns={COLUMNS}
        detailsLabel={({ createdAt }) => appTexts.deliveries.viewDetails(time(createdAt))}
        onOpen={(delivery) => setEventId(delivery.eventId)}
        advice={appTexts.deliveries.noDeliveriesAdvice}
        // With a status filter, pending deliveries are not visible, so the list is polled anyway.
        isPolled={(all, state) => (state !== undefined && state !== "pending") || all.some(isUnderWay)}
      />
      {eventId === undefined ? undefined : (
        <DeliveryDialog
          title={appTexts.deliveries.delivery}
          listKey={listKey}
          eventId={eventId}
          details={(client) => client.deliveries.get({ storeId, installationId, eventId })}
          refetchInterval={2000}
          facts={factsOf}
          redeliver={(client, idempotencyKey) =>
            client.deliveries.redeliver({ storeId, installationId, eventId, idempotencyKey })
          }
          close={() => setEventId(undefined)}
        />
      )}
    </Stack>
  )
}
