import { Effect } from "effect"
import { useState } from "react"
import { Time } from "../../shared/ui/display/Values.tsx"
import type { Delivery } from "../../../domain/webhooks/Webhook.ts"
import type { Column } from "../../shared/ui/display/Table.tsx"
import { deliveryColumns, DeliveryList, DeliveryDialog } from "../../shared/webhooks/Deliveries.tsx"
import { webhookTexts } from "../../shared/webhooks/webhookTexts.ts"
import { useApp } from "./AppPage.tsx"
import { portalTexts } from "./portalTexts.ts"

const COLUMNS: ReadonlyArray<Column<Delivery>> = [
  { name: webhookTexts.deliveries.event, cell: ({ kind }) => <code>{kind}</code> },
  { name: webhookTexts.deliveries.occurred, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ...deliveryColumns,
  {
    name: webhookTexts.deliveries.nextAttempt,
    cell: ({ attempts, nextAt }) => (nextAt === null || attempts === 0 ? "–" : <Time at={nextAt} />)
  }
]

const factsOf = ({ eventId }: Pick<Delivery, "eventId">) =>
  [[webhookTexts.deliveries.event, <code key="id">{eventId}</code>]] as const

/** Deliveries of an app from all stores. */
export const Deliveries = () => {
  const appId = useApp().app.id
  const [open, setOpen] = useState<Delivery>()
  const close = () => setOpen(undefined)
  const listKey = ["app", appId, "deliveries"]
  return (
    <>
      <DeliveryList
        listKey={listKey}
        list={(filter) => (client) => client.appDeliveries.list({ id: appId, ...filter })}
        columns={COLUMNS}
        detailsLabel={({ eventId }) => portalTexts.deliveries.viewDetails(eventId)}
        onOpen={setOpen}
        advice={portalTexts.deliveries.noDeliveriesAdvice}
      />
      {open === undefined ? undefined : (
        <DeliveryDialog
          title={open.kind}
          listKey={listKey}
          eventId={open.eventId}
          details={(client) =>
            Effect.map(client.appDeliveries.attempts({ id: appId, eventId: open.eventId }), (log) => ({
              eventId: open.eventId,
              log
            }))
          }
          facts={factsOf}
          redeliver={(client, idempotencyKey) =>
            client.appDeliveries.redeliver({ idempotencyKey, id: appId, eventId: open.eventId })
          }
          onQueued={close}
          close={close}
        />
      )}
    </>
  )
}
