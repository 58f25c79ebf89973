import type { TestDelivery } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Button } from "../../ui/form/Button.tsx"
import { CodeBlock } from "../../ui/display/CodeBlock.tsx"
import { Card, Facts, MutedText, Row } from "../../ui/layout/Page.tsx"
import { ErrorNotice } from "../../ui/display/QueryBoundary.tsx"
import { developerTexts } from "../developerTexts.ts"
import { webhookTexts } from "../../webhooks/webhookTexts.ts"

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
            developerTexts.test.response,
            status === null ? (error ?? developerTexts.test.noResponse) : webhookTexts.deliveries.httpStatus(status)
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
    <Card title={developerTexts.test.title}>
      <MutedText>
        {developerTexts.test.advice.before}
        <code>webhook.test.v1</code>
        {developerTexts.test.advice.after}
      </MutedText>
      <Row>
        <Button isBusy={testing.isPending} onClick={() => testing.mutate(undefined)}>
          {testing.isPending ? developerTexts.test.sending : developerTexts.test.send}
        </Button>
      </Row>
      {testing.error === null ? undefined : <ErrorNotice error={testing.error} />}
      {testing.data === undefined ? undefined : <TestResult {...testing.data} />}
    </Card>
  )
}
