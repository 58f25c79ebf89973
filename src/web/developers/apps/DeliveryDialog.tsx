import type { Attempt, Delivery } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { time } from "../../data/format.ts"
import { useRpcQuery, useRpcMutation } from "../../data/queries.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Button } from "../../ui/form/Button.tsx"
import { CodeBlock } from "../../ui/display/CodeBlock.tsx"
import { Dialog } from "../../ui/layout/Dialog.tsx"
import { Facts, Row, Stack } from "../../ui/layout/Page.tsx"
import { QueryBoundary, EmptyState, ErrorNotice } from "../../ui/display/QueryBoundary.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { developerTexts } from "../developerTexts.ts"
import { webhookTexts } from "../../webhooks/webhookTexts.ts"

const AttemptDetails = ({ answer, attempt, durationMillis, error, startedAt, status }: Attempt) => {
  const isSuccess = status !== null && status >= 200 && status < 300
  return (
    <>
      <Row>
        <h3>{developerTexts.deliveries.attempt(attempt)}</h3>
        <Badge tone={isSuccess ? "good" : "alert"}>
          {status === null ? developerTexts.deliveries.noResponse : webhookTexts.deliveries.httpStatus(status)}
        </Badge>
      </Row>
      <Facts
        facts={[
          [webhookTexts.deliveries.sent, time(startedAt)],
          [
            webhookTexts.deliveries.duration,
            durationMillis === null ? "–" : webhookTexts.deliveries.milliseconds(durationMillis)
          ],
          ...(error === null ? [] : [[developerTexts.deliveries.error, error] as const])
        ]}
      />
      {answer === null || answer === "" ? undefined : (
        <CodeBlock title={developerTexts.deliveries.responseBody} text={answer} isWrapped />
      )}
    </>
  )
}

interface DeliveryDialogProps {
  readonly appId: AppId
  readonly delivery: Delivery
  readonly close: () => void
}

/** Attempts of a delivery, with the responses, and a button to resend it. */
export const DeliveryDialog = ({ appId, close, delivery: { eventId, kind } }: DeliveryDialogProps) => {
  const query = useRpcQuery(["app", appId, "deliveries", "attempts", eventId], (client) =>
    client.appDeliveries.attempts({ id: appId, eventId })
  )
  const sending = useRpcMutation({
    write: (client, event: Delivery["eventId"], idempotencyKey) =>
      client.appDeliveries.redeliver({ idempotencyKey, id: appId, eventId: event }),
    invalidates: [["app", appId, "deliveries"]],
    onSuccess: () => {
      toast(webhookTexts.deliveries.queued)
      close()
    }
  })
  return (
    <Dialog title={kind} isOpen close={close} isWide>
      <Facts facts={[[webhookTexts.deliveries.event, <code key="id">{eventId}</code>]]} />
      <QueryBoundary query={query} lines={3}>
        {(attempts) =>
          attempts.length === 0 ? (
            <EmptyState title={webhookTexts.deliveries.noAttempts} />
          ) : (
            <Stack>
              {attempts.map((one) => (
                <AttemptDetails key={`${one.installationId} ${one.attempt}`} {...one} />
              ))}
            </Stack>
          )
        }
      </QueryBoundary>
      {sending.error === null ? undefined : <ErrorNotice error={sending.error} />}
      <Row>
        <Button isBusy={sending.isPending} onClick={() => sending.mutate(eventId)}>
          {webhookTexts.deliveries.resend}
        </Button>
      </Row>
    </Dialog>
  )
}
