import { useState } from "react"
import type { Webhook as WebhookSchema } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { number, time } from "../../data/format.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Button } from "../../ui/form/Button.tsx"
import { Confirm } from "../../ui/layout/Dialog.tsx"
import { SelectField } from "../../ui/form/Field.tsx"
import { Card, Facts, Row, Stack } from "../../ui/layout/Page.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { developerTexts } from "../developerTexts.ts"
import { webhookTexts } from "../../webhooks/webhookTexts.ts"

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

const sinceOf = ({ failingSince, pausedAt, pauseReason, testFailedAt }: Webhook) => {
  if (pausedAt !== null)
    return `${time(pausedAt)}. ${pauseReason === null ? "" : developerTexts.webhookStatus.pauseReasons[pauseReason]}`
  const since = failingSince ?? testFailedAt
  return since === null ? undefined : time(since)
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
    onSuccess: () => toast(developerTexts.webhookStatus.paused)
  })
  const resuming = useRpcMutation({
    write: (client, what: Missed) => client.appWebhooks.resume({ id: appId, missed: what }),
    invalidates,
    onSuccess: ({ count: resumed }, what) => {
      setConfirming(false)
      toast(
        what === "deliver"
          ? developerTexts.webhookStatus.resumedWithDeliveries(resumed)
          : developerTexts.webhookStatus.resumed
      )
    }
  })
  const since = sinceOf(webhook)
  const isPaused = webhook.pausedAt !== null
  return (
    <Card title={developerTexts.webhookStatus.title} actions={<WebhookStatusBadge {...webhook} />}>
      <Facts
        facts={[
          [webhookTexts.deliveryStates.pending, number(webhook.pending)],
          [webhookTexts.deliveryStates.dead, number(webhook.dead)],
          ...(since === undefined ? [] : [[developerTexts.webhookStatus.since, since] as const]),
          ...(webhook.pendingDroppedFrom === null
            ? []
            : [[developerTexts.webhookStatus.pendingExpireFrom, time(webhook.pendingDroppedFrom)] as const])
        ]}
      />
      <Row>
        {isPaused ? (
          <Button onClick={() => setConfirming(true)}>{developerTexts.webhookStatus.openResume}</Button>
        ) : (
          <Button isBusy={pausing.isPending} onClick={() => pausing.mutate(undefined)}>
            {developerTexts.webhookStatus.pause}
          </Button>
        )}
      </Row>
      <Confirm
        title={developerTexts.webhookStatus.confirmResume}
        action={developerTexts.webhookStatus.resume}
        isOpen={isConfirming}
        close={() => setConfirming(false)}
        confirm={() => resuming.mutate(missed)}
        isBusy={resuming.isPending}
        error={resuming.error}
      >
        <Stack>
          <p>{developerTexts.webhookStatus.pending(webhook.pending)}</p>
          <SelectField
            label={developerTexts.webhookStatus.pendingDeliveries}
            value={missed}
            onChange={({ target }) => setMissed(target.value === "skip" ? "skip" : "deliver")}
          >
            <option value="deliver">{developerTexts.webhookStatus.sendPending}</option>
            <option value="skip">{developerTexts.webhookStatus.skipPending}</option>
          </SelectField>
        </Stack>
      </Confirm>
    </Card>
  )
}
