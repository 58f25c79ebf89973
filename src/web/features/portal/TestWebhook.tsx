import type { TestDelivery } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { CodeBlock } from "../../shared/ui/display/Copyable.tsx"
import { Card, Facts, MutedText, Row } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { portalTexts } from "./portalTexts.ts"
import { webhookTexts } from "../../shared/webhooks/webhookTexts.ts"

const TestResult = ({ answer, durationMillis, error, eventId, status }: TestDelivery) => {
  const isSuccess = status !== null && status >= 200 && status < 300
  return (
    <>
      <output>
        <Badge tone={isSuccess ? "good" : "alert"}>
          {isSuccess ? webhookTexts.deliveryStates.delivered : webhookTexts.deliveryStates.dead}
        </Badge>
      </output>
      <Facts
        facts={[
          [
            portalTexts.test.response,
            status === null ? (error ?? portalTexts.test.noResponse) : webhookTexts.deliveries.httpStatus(status)
          ],
          [
            webhookTexts.deliveries.duration,
            durationMillis === null ? "–" : webhookTexts.deliveries.milliseconds(durationMillis)
          ],
          [webhookTexts.deliveries.event, <code key="id">{eventId}</code>]
        ]}
      />
      {answer === null || answer === "" ? undefined : (
        <CodeBlock title={webhookTexts.deliveries.responseBody} text={answer} isWrapped />
      )}
    </>
  )
}

/** Sends a test event and shows the response of the endpoint. */
export const TestWebhook = ({ appId }: { readonly appId: AppId }) => {
  const testing = useRpcMutation({
    write: (client) => client.appWebhooks.test({ id: appId }),
    invalidates: [["app", appId, "webhook"]]
  })
  return (
    <Card title={portalTexts.test.title}>
      <MutedText>
        {portalTexts.test.advice.before}
        <code>webhook.test.v1</code>
        {portalTexts.test.advice.after}
      </MutedText>
      <Row>
        <Button isBusy={testing.isPending} onClick={() => testing.mutate(undefined)}>
          {testing.isPending ? portalTexts.test.sending : portalTexts.test.send}
        </Button>
      </Row>
      {testing.error === null ? undefined : <ErrorNotice error={testing.error} />}
      {testing.data === undefined ? undefined : <TestResult {...testing.data} />}
    </Card>
  )
}
