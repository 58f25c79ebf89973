import { useState } from "react"
import type { Webhook as WebhookSchema } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { count, number, time } from "../../data/format.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Button } from "../../ui/form/Button.tsx"
import { Confirm } from "../../ui/layout/Dialog.tsx"
import { SelectField } from "../../ui/form/Field.tsx"
import { Card, Facts, Row, Stack } from "../../ui/layout/Page.tsx"
import { toast } from "../../ui/display/Toasts.tsx"

export type Webhook = WebhookSchema

type Missed = "deliver" | "skip"

const pauseReasonLabels: Readonly<Record<NonNullable<Webhook["pauseReason"]>, string>> = {
  operator: "You or the service operator paused it.",
  gone: "Your endpoint returned 410 Gone.",
  failing: "Your endpoint failed for five days without a success."
}

const WebhookStatusBadge = ({ failingSince, pausedAt, pauseReason }: Webhook) => {
  if (pausedAt !== null) return <Badge tone="warn">Paused</Badge>
  return failingSince === null && pauseReason === null ? (
    <Badge tone="good">Healthy</Badge>
  ) : (
    <Badge tone="alert">Failing</Badge>
  )
}

const sinceOf = ({ failingSince, pausedAt, pauseReason }: Webhook) => {
  if (pausedAt !== null) return `${time(pausedAt)}. ${pauseReason === null ? "" : pauseReasonLabels[pauseReason]}`
  return failingSince === null ? undefined : time(failingSince)
}

interface WebhookStatusCardProps {
  readonly appId: AppId
  readonly webhook: Webhook
}

/** Status of a webhook, with pause and resume. */
export const WebhookStatusCard = ({ appId, webhook }: WebhookStatusCardProps) => {
  const [isConfirming, setConfirming] = useState(false)
  const [missed, setMissed] = useState<Missed>("deliver")
  const invalidates = [
    ["app", appId, "webhook"],
    ["app", appId, "deliveries"]
  ]
  const pausing = useRpcMutation({
    write: (client) => client.appWebhooks.pause({ id: appId }),
    invalidates,
    onSuccess: () => toast("Webhook paused")
  })
  const resuming = useRpcMutation({
    write: (client, what: Missed) => client.appWebhooks.resume({ id: appId, missed: what }),
    invalidates,
    onSuccess: ({ count: resumed }, what) => {
      setConfirming(false)
      toast(
        what === "deliver" ? `Webhook resumed. ${count(resumed, "delivery", "deliveries")} queued.` : "Webhook resumed"
      )
    }
  })
  const since = sinceOf(webhook)
  const isPaused = webhook.pausedAt !== null
  return (
    <Card title="Status" actions={<WebhookStatusBadge {...webhook} />}>
      <Facts
        facts={[
          ["Pending", number(webhook.pending)],
          ["Failed", number(webhook.dead)],
          ...(since === undefined ? [] : [["Since", since] as const]),
          ...(webhook.pendingDroppedFrom === null
            ? []
            : [["Pending deliveries expire from", time(webhook.pendingDroppedFrom)] as const])
        ]}
      />
      <Row>
        {isPaused ? (
          <Button onClick={() => setConfirming(true)}>Resume webhook…</Button>
        ) : (
          <Button isBusy={pausing.isPending} onClick={() => pausing.mutate(undefined)}>
            {" "}
            Pause webhook{" "}
          </Button>
        )}
      </Row>
      <Confirm
        title="Resume the webhook?"
        action="Resume webhook"
        isOpen={isConfirming}
        close={() => setConfirming(false)}
        confirm={() => resuming.mutate(missed)}
        isBusy={resuming.isPending}
        error={resuming.error}
      >
        <Stack>
          <p>{count(webhook.pending, "delivery", "deliveries")} pending.</p>
          <SelectField
            label="Pending deliveries"
            value={missed}
            onChange={({ target }) => setMissed(target.value === "skip" ? "skip" : "deliver")}
          >
            <option value="deliver">Send now</option>
            <option value="skip">Skip</option>
          </SelectField>
        </Stack>
      </Confirm>
    </Card>
  )
}
