import { type Dates, useDates, number } from "../../shared/data/format.ts"
import { useState } from "react"
import type { Webhook as WebhookSchema } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { Card, Facts, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { portalTexts } from "./portalTexts.ts"
import { webhookTexts } from "../../shared/webhooks/webhookTexts.ts"

export type Webhook = WebhookSchema

type Missed = "deliver" | "skip"

const WebhookStatusBadge = ({ calledAt, failingSince, pausedAt, testFailedAt }: Webhook) => {
  if (pausedAt !== null) return <Badge tone="warn">{webhookTexts.states.paused}</Badge>
  if (failingSince !== null || testFailedAt !== null) return <Badge tone="alert">{webhookTexts.states.failing}</Badge>
  return calledAt === null ? (
    <Badge>{webhookTexts.states.notCalled}</Badge>
  ) : (
    <Badge tone="good">{webhookTexts.states.healthy}</Badge>
  )
}

const sinceOf = ({ failingSince, pausedAt, pauseReason, testFailedAt }: Webhook, { time }: Dates) => {
  if (pausedAt !== null)
    return `${time(pausedAt)}. ${pauseReason === null ? "" : portalTexts.webhookStatus.pauseReasons[pauseReason]}`
  const since = failingSince ?? testFailedAt
  return since === null ? undefined : time(since)
}

interface WebhookStatusCardProps {
  readonly appId: AppId
  readonly webhook: Webhook
}

/** Status of a webhook, with pause and resume. */
export const WebhookStatusCard = ({ appId, webhook }: WebhookStatusCardProps) => {
  const dates = useDates()
  const [isConfirming, setConfirming] = useState(false)
  const [missed, setMissed] = useState<Missed>("deliver")
  const invalidates = [
    ["app", appId, "webhook"],
    ["app", appId, "deliveries"]
  ]
  const pausing = useRpcMutation({
    write: (client) => client.appWebhooks.pause({ id: appId }),
    invalidates,
    onSuccess: () => toast(portalTexts.webhookStatus.paused)
  })
  const resuming = useRpcMutation({
    write: (client, what: Missed) => client.appWebhooks.resume({ id: appId, missed: what }),
    invalidates,
    onSuccess: ({ count: resumed }, what) => {
      setConfirming(false)
      toast(
        what === "deliver"
          ? portalTexts.webhookStatus.resumedWithDeliveries(resumed)
          : portalTexts.webhookStatus.resumed
      )
    }
  })
  const since = sinceOf(webhook, dates)
  const isPaused = webhook.pausedAt !== null
  return (
    <Card title={portalTexts.webhookStatus.title} actions={<WebhookStatusBadge {...webhook} />}>
      <Facts
        facts={[
          [webhookTexts.deliveryStates.pending, number(webhook.pending)],
          [webhookTexts.deliveryStates.dead, number(webhook.dead)],
          ...(since === undefined ? [] : [[portalTexts.webhookStatus.since, since] as const]),
          ...(webhook.pendingDroppedFrom === null
            ? []
            : [[portalTexts.webhookStatus.pendingExpireFrom, dates.time(webhook.pendingDroppedFrom)] as const])
        ]}
      />
      <Row>
        {isPaused ? (
          <Button onClick={() => setConfirming(true)}>{portalTexts.webhookStatus.openResume}</Button>
        ) : (
          <Button isBusy={pausing.isPending} onClick={() => pausing.mutate(undefined)}>
            {portalTexts.webhookStatus.pause}
          </Button>
        )}
      </Row>
      <Confirm
        title={portalTexts.webhookStatus.confirmResume}
        action={portalTexts.webhookStatus.resume}
        isOpen={isConfirming}
        close={() => setConfirming(false)}
        confirm={() => resuming.mutate(missed)}
        isBusy={resuming.isPending}
        error={resuming.error}
      >
        <Stack>
          <p>{portalTexts.webhookStatus.pending(webhook.pending)}</p>
          <SelectField
            label={portalTexts.webhookStatus.pendingDeliveries}
            value={missed}
            onChange={({ target }) => setMissed(target.value === "skip" ? "skip" : "deliver")}
          >
            <option value="deliver">{portalTexts.webhookStatus.sendPending}</option>
            <option value="skip">{portalTexts.webhookStatus.skipPending}</option>
          </SelectField>
        </Stack>
      </Confirm>
    </Card>
  )
}
