import type { TestDelivery } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { number } from "../../data/format.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { Button } from "../../ui/form/Button.tsx"
import { CodeBlock } from "../../ui/display/CodeBlock.tsx"
import { Card, Facts, MutedText, Row } from "../../ui/layout/Page.tsx"
import { ErrorNotice } from "../../ui/display/QueryBoundary.tsx"

const TestResult = ({ answer, durationMillis, error, eventId, status }: TestDelivery) => {
  const isSuccess = status !== null && status >= 200 && status < 300
  return (
    <>
      <output>
        <Badge tone={isSuccess ? "good" : "alert"}>{isSuccess ? "Delivered" : "Failed"}</Badge>
      </output>
      <Facts
        facts={[
          ["Response", status === null ? (error ?? "None") : `HTTP ${status}`],
          ["Duration", durationMillis === null ? "–" : `${number(durationMillis)} ms`],
          ["Event", <code key="id">{eventId}</code>]
        ]}
      />
      {answer === null || answer === "" ? undefined : <CodeBlock title="Response body" text={answer} isWrapped />}
    </>
  )
}

/** Sends a test event and shows the response of the endpoint. */
export const TestWebhook = ({ appId }: { readonly appId: AppId }) => {
  const testing = useRpcMutation({ write: (client) => client.appWebhooks.test({ id: appId }) })
  return (
    <Card title="Test webhook">
      <MutedText>
        Sends one signed <code>webhook.test.v1</code> event now. Every 2xx response is a success.
      </MutedText>
      <Row>
        <Button isBusy={testing.isPending} onClick={() => testing.mutate(undefined)}>
          {testing.isPending ? "Sending…" : "Send test event"}
        </Button>
      </Row>
      {testing.error === null ? undefined : <ErrorNotice error={testing.error} />}
      {testing.data === undefined ? undefined : <TestResult {...testing.data} />}
    </Card>
  )
}
