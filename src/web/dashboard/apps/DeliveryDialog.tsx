import type { StoreAttempt } from "../../../domain/webhooks/StoreWebhooks.ts"
import type { EventId, InstallationId } from "../../../rpc/Client.ts"
import { time } from "../../data/format.ts"
import { useRpcMutation, useRpcQuery } from "../../data/queries.ts"
import { Button } from "../../ui/form/Button.tsx"
import { Dialog } from "../../ui/layout/Dialog.tsx"
import { Facts, MutedText, Row } from "../../ui/layout/Page.tsx"
import { ErrorNotice, QueryBoundary } from "../../ui/display/QueryBoundary.tsx"
import { type Column, Table } from "../../ui/display/Table.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { useStoreId } from "../store.ts"
import { attemptStatus } from "./appStatus.ts"
import { DeliveryStatusBadge } from "../../webhooks/DeliveryStatusBadge.tsx"
import { StatusBadge } from "../../ui/display/Badge.tsx"
import { appTexts } from "./appTexts.ts"
import { webhookTexts } from "../../webhooks/webhookTexts.ts"

const COLUMNS: ReadonlyArray<Column<typeof StoreAttempt.Type>> = [
  { name: appTexts.deliveries.attempt, cell: ({ attempt }) => attempt },
  { name: webhookTexts.deliveries.sent, cell: ({ startedAt }) => time(startedAt) },
  { name: appTexts.deliveries.result, cell: (attempt) => <StatusBadge {...attemptStatus(attempt)} /> },
  {
    name: webhookTexts.deliveries.duration,
    isNumber: true,
    cell: ({ durationMillis }) => (durationMillis === null ? "" : webhookTexts.deliveries.milliseconds(durationMillis))
  }
]

interface DeliveryDialogProps {
  readonly installationId: InstallationId
  readonly eventId: EventId
  readonly close: () => void
}

/** Attempts of a delivery, and a button to resend it. */
export const DeliveryDialog = ({ close, eventId, installationId }: DeliveryDialogProps) => {
  const storeId = useStoreId()
  const params = { storeId, installationId, eventId }
  const query = useRpcQuery(
    [storeId, "app", installationId, "deliveries", "one", eventId],
    (client) => client.deliveries.get(params),
    { refetchInterval: 2000 }
  )
  const redeliver = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.deliveries.redeliver({ ...params, idempotencyKey }),
    invalidates: [[storeId, "app", installationId, "deliveries"]],
    onSuccess: () => toast(webhookTexts.deliveries.queued)
  })
  return (
    <Dialog title={appTexts.deliveries.delivery} isOpen close={close} isWide>
      <QueryBoundary query={query}>
        {({ createdAt, kind, log, nextAt, state }) => (
          <>
            <Facts
              facts={[
                [webhookTexts.deliveries.event, webhookTexts.events[kind]],
                [webhookTexts.deliveries.occurred, time(createdAt)],
                [webhookTexts.deliveries.status, <DeliveryStatusBadge key="status" state={state} />],
                ...(nextAt === null ? [] : [[webhookTexts.deliveries.nextAttempt, time(nextAt)] as const])
              ]}
            />
            {log.length === 0 ? (
              <MutedText>{webhookTexts.deliveries.noAttempts}</MutedText>
            ) : (
              <Table
                caption={webhookTexts.deliveries.attempts}
                rows={log}
                keyOf={({ attempt }) => String(attempt)}
                columns={COLUMNS}
              />
            )}
          </>
        )}
      </QueryBoundary>
      {redeliver.error === null ? undefined : <ErrorNotice error={redeliver.error} />}
      <Row>
        <Button onClick={() => redeliver.mutate()} isBusy={redeliver.isPending}>
          {webhookTexts.deliveries.resend}
        </Button>
      </Row>
    </Dialog>
  )
}
