import type { InstallationId } from "../../../rpc/Client.ts"
import { LOG_DAYS } from "../../../domain/webhooks/Webhook.ts"
import { useAsked, useWrite } from "../../data/Queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts, Quiet } from "../../ui/Page.tsx"
import { Answered, Trouble } from "../../ui/States.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useStoreId } from "../Store.ts"
import { Stands } from "./Stands.tsx"
import { webhookStanding } from "./Words.ts"
import { eventLabels } from "../../webhooks/deliveryLabels.ts"

/** Where an app is told of what happens in the store; a member lets that wait, and go on. */
export const Webhook = ({ installationId }: { readonly installationId: InstallationId }) => {
  const storeId = useStoreId()
  const named = { storeId, installationId }
  const asked = useAsked([storeId, "app", installationId, "webhook"], (client) => client.webhooks.get(named))
  const touches = [[storeId, "app", installationId]]
  const pause = useWrite({
    write: (client, _: void, idempotencyKey) => client.webhooks.pause({ ...named, idempotencyKey }),
    touches,
    done: () => toast("Deliveries paused")
  })
  const resume = useWrite({
    write: (client, _: void, idempotencyKey) => client.webhooks.resume({ ...named, idempotencyKey }),
    touches,
    done: () => toast("Deliveries resumed")
  })
  const failed = pause.error ?? resume.error
  const isHeld = asked.data !== undefined && asked.data.heldSince !== null
  return (
    <Card
      title="Webhook"
      actions={
        asked.data === undefined || asked.data.host === null ? undefined : (
          <Button onClick={() => (isHeld ? resume : pause).mutate()} isBusy={pause.isPending || resume.isPending}>
            {isHeld ? "Resume deliveries" : "Pause deliveries"}
          </Button>
        )
      }
    >
      {failed === null ? undefined : <Trouble error={failed} />}
      <Answered asked={asked} lines={2}>
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
              <Quiet>
                {text}
                {isHeld ? ` Events are kept for ${LOG_DAYS} days and sent when you resume.` : ""}
              </Quiet>
            </>
          )
        }}
      </Answered>
    </Card>
  )
}
