import type { InstallationId } from "../../../rpc/Client.ts"
import { LOG_DAYS } from "../../../domain/webhooks/Webhook.ts"
import { useRpcQuery, useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts, MutedText } from "../../ui/Page.tsx"
import { QueryBoundary, ErrorNotice } from "../../ui/QueryBoundary.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useStoreId } from "../Store.ts"
import { Stands } from "./Stands.tsx"
import { webhookStanding } from "./Words.ts"
import { eventLabels } from "../../webhooks/deliveryLabels.ts"

/** Where an app is told of what happens in the store; a member lets that wait, and go on. */
export const Webhook = ({ installationId }: { readonly installationId: InstallationId }) => {
  const storeId = useStoreId()
  const named = { storeId, installationId }
  const query = useRpcQuery([storeId, "app", installationId, "webhook"], (client) => client.webhooks.get(named))
  const invalidates = [[storeId, "app", installationId]]
  const pause = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.webhooks.pause({ ...named, idempotencyKey }),
    invalidates,
    onSuccess: () => toast("Deliveries paused")
  })
  const resume = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.webhooks.resume({ ...named, idempotencyKey }),
    invalidates,
    onSuccess: () => toast("Deliveries resumed")
  })
  const failed = pause.error ?? resume.error
  const isHeld = query.data !== undefined && query.data.heldSince !== null
  return (
    <Card
      title="Webhook"
      actions={
        query.data === undefined || query.data.host === null ? undefined : (
          <Button onClick={() => (isHeld ? resume : pause).mutate()} isBusy={pause.isPending || resume.isPending}>
            {isHeld ? "Resume deliveries" : "Pause deliveries"}
          </Button>
        )
      }
    >
      {failed === null ? undefined : <ErrorNotice error={failed} />}
      <QueryBoundary query={query} lines={2}>
        {(webhook) => {
          const { text, tone, word } = webhookStanding(webhook)
          return (
            <>
              <Facts
                facts={[
                  ["Status", <Stands key="status" tone={tone} word={word} />],
                  ["Endpoint", webhook.host ?? "None"],
                  ["Events", webhook.kinds.map((kind) => eventLabels[kind]).join(", ") || "None"]
                ]}
              />
              <MutedText>
                {text}
                {isHeld ? ` Events are kept for ${LOG_DAYS} days and sent when you resume.` : ""}
              </MutedText>
            </>
          )
        }}
      </QueryBoundary>
    </Card>
  )
}
