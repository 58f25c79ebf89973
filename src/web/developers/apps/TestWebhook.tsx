import type { TestDelivery } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { number } from "../../data/Format.ts"
import { useWrite } from "../../data/Queries.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import { Card, Facts, Quiet, Row } from "../../ui/Page.tsx"
import { Trouble } from "../../ui/States.tsx"

const Came = ({ answer, durationMillis, error, eventId, status }: TestDelivery) => {
  const isGood = status !== null && status >= 200 && status < 300
  return (
    <>
      <output>
        <Badge tone={isGood ? "good" : "alert"}>{isGood ? "Delivered" : "Failed"}</Badge>
      </output>
      <Facts
        facts={[
          ["Response", status === null ? (error ?? "None") : `HTTP ${status}`],
          ["Duration", durationMillis === null ? "–" : `${number(durationMillis)} ms`],
          ["Event", <code key="id">{eventId}</code>]
        ]}
      />
      {answer === null || answer === "" ? undefined : <Code title="Response body" text={answer} isWrapped />}
    </>
  )
}

/** Sends an event that tests whether a webhook is reached, and tells what came back. */
export const TestWebhook = ({ appId }: { readonly appId: AppId }) => {
  const testing = useWrite({ write: (client) => client.appWebhooks.test({ id: appId }) })
  return (
    <Card title="Test webhook">
      <Quiet>
        Sends one signed <code>webhook.test.v1</code> event now. Every 2xx response is a success.
      </Quiet>
      <Row>
        <Button isBusy={testing.isPending} onClick={() => testing.mutate(undefined)}>
          {testing.isPending ? "Sending…" : "Send test event"}
        </Button>
      </Row>
      {testing.error === null ? undefined : <Trouble error={testing.error} />}
      {testing.data === undefined ? undefined : <Came {...testing.data} />}
    </Card>
  )
}
