import { useState } from "react"
import type { Webhook as WebhookSchema } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { count, number, time } from "../../data/Format.ts"
import { useWrite } from "../../data/Queries.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Dialog.tsx"
import { SelectField } from "../../ui/Field.tsx"
import { Card, Facts, Row, Stack } from "../../ui/Page.tsx"
import { toast } from "../../ui/Toasts.tsx"

export type Webhook = WebhookSchema

type Missed = "deliver" | "skip"

const WHY: Readonly<Record<NonNullable<Webhook["pauseReason"]>, string>> = {
  operator: "You, or who runs the service, paused it.",
  gone: "Your endpoint answered 410: that it is gone.",
  failing: "Your endpoint failed for five days without one success."
}

const State = ({ failingSince, pausedAt, pauseReason }: Webhook) => {
  if (pausedAt !== null) return <Badge tone="warn">Paused</Badge>
  return failingSince === null && pauseReason === null ? (
    <Badge tone="good">Works</Badge>
  ) : (
    <Badge tone="alert">Fails</Badge>
  )
}

const sinceOf = ({ failingSince, pausedAt, pauseReason }: Webhook) => {
  if (pausedAt !== null) return `${time(pausedAt)}. ${pauseReason === null ? "" : WHY[pauseReason]}`
  return failingSince === null ? undefined : time(failingSince)
}

interface WebhookStateProps {
  readonly appId: AppId
  readonly webhook: Webhook
}

/** How a webhook stands, and its pause and end of pause. */
export const WebhookState = ({ appId, webhook }: WebhookStateProps) => {
  const [isAsking, setAsking] = useState(false)
  const [missed, setMissed] = useState<Missed>("deliver")
  const touches = [
    ["app", appId, "webhook"],
    ["app", appId, "deliveries"]
  ]
  const pausing = useWrite({
    write: (client) => client.appWebhooks.pause({ id: appId }),
    touches,
    done: () => toast("Paused")
  })
  const resuming = useWrite({
    write: (client, what: Missed) => client.appWebhooks.resume({ id: appId, missed: what }),
    touches,
    done: ({ count: many }, what) => {
      setAsking(false)
      toast(what === "deliver" ? `Resumed: ${count(many, "delivery", "deliveries")} on the way` : "Resumed")
    }
  })
  const since = sinceOf(webhook)
  const isPaused = webhook.pausedAt !== null
  return (
    <Card title="How it stands" actions={<State {...webhook} />}>
      <Facts
        facts={[
          ["Wait to be sent", number(webhook.pending)],
          ["Given up", number(webhook.dead)],
          ...(since === undefined ? [] : [["Since", since] as const]),
          ...(webhook.pendingDroppedFrom === null
            ? []
            : [["What waits is dropped from", time(webhook.pendingDroppedFrom)] as const])
        ]}
      />
      <Row>
        {isPaused ? (
          <Button onClick={() => setAsking(true)}>Resume…</Button>
        ) : (
          <Button isBusy={pausing.isPending} onClick={() => pausing.mutate(undefined)}>
            Pause
          </Button>
        )}
      </Row>
      <Confirm
        title="Resume the webhook?"
        action="Resume"
        isOpen={isAsking}
        close={() => setAsking(false)}
        confirm={() => resuming.mutate(missed)}
        isBusy={resuming.isPending}
        error={resuming.error}
      >
        <Stack>
          <p>{count(webhook.pending, "delivery", "deliveries")} could not be sent meanwhile.</p>
          <SelectField
            label="What becomes of them"
            value={missed}
            onChange={({ target }) => setMissed(target.value === "skip" ? "skip" : "deliver")}
          >
            <option value="deliver">Send them now</option>
            <option value="skip">Leave them out</option>
          </SelectField>
        </Stack>
      </Confirm>
    </Card>
  )
}
