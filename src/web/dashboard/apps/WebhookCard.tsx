import type { InstallationId } from "../../../rpc/Client.ts"
import { LOG_DAYS } from "../../../domain/webhooks/Webhook.ts"
import { useRpcMutation, useRpcQuery } from "../../data/queries.ts"
import { Button } from "../../ui/form/Button.tsx"
import { Card, Facts, MutedText } from "../../ui/layout/Page.tsx"
import { ErrorNotice, QueryBoundary } from "../../ui/display/QueryBoundary.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { useStoreId } from "../store.ts"
import { webhookStatus } from "./appLabels.ts"
import { eventLabels } from "../../webhooks/deliveryLabels.ts"
import { StatusBadge } from "../../ui/display/Badge.tsx"

/** Webhook of an app. A member can pause its deliveries for the store. */
export const WebhookCard = ({ installationId }: { readonly installationId: InstallationId }) => {
  const storeId = useStoreId()
  const params = { storeId, installationId }
  const query = useRpcQuery([storeId, "app", installationId, "webhook"], (client) => client.webhooks.get(params))
  const invalidates = [[storeId, "app", installationId]]
  const pause = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.webhooks.pause({ ...params, idempotencyKey }),
    invalidates,
    onSuccess: () => toast("Deliveries paused")
  })
  const resume = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.webhooks.resume({ ...params, idempotencyKey }),
    invalidates,
    onSuccess: () => toast("Deliveries resumed")
  })
  const error = pause.error ?? resume.error
  const isPaused = query.data !== undefined && query.data.heldSince !== null
  return (
    <Card
      title="Webhook"
      actions={
        query.data === undefined || query.data.host === null ? undefined : (
          <Button onClick={() => (isPaused ? resume : pause).mutate()} isBusy={pause.isPending || resume.isPending}>
            {isPaused ? "Resume deliveries" : "Pause deliveries"}
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
                  ["Status", <StatusBadge key="status" tone={tone} word={word} />],
                  ["Endpoint", webhook.host ?? "None"],
                  ["Events", webhook.kinds.map((kind) => eventLabels[kind]).join(", ") || "None"]
                ]}
              />
              <MutedText>
                {text}
                {isPaused ? ` Events are kept for ${LOG_DAYS} days and sent when you resume.` : ""}
              </MutedText>
            </>
          )
        }}
      </QueryBoundary>
    </Card>
  )
}
