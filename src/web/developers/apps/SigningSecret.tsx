import { useState } from "react"
import { OVERLAP_HOURS } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { useWrite } from "../../data/Queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Dialog.tsx"
import { SelectField } from "../../ui/Field.tsx"
import { Card, Quiet, Row, Stack } from "../../ui/Page.tsx"
import { Secret } from "../../ui/Secret.tsx"

type Before = "overlap" | "end"

/** Another secret in the place of the one that signs deliveries. */
export const SigningSecret = ({ appId, liveSecrets }: { readonly appId: AppId; readonly liveSecrets: number }) => {
  const [isAsking, setAsking] = useState(false)
  const [before, setBefore] = useState<Before>("overlap")
  const rotating = useWrite({
    write: (client, what: Before, idempotencyKey) =>
      client.appWebhooks.rotateSecret({ idempotencyKey, id: appId, before: what }),
    touches: [["app", appId, "webhook"]],
    done: () => setAsking(false)
  })
  const secret = rotating.data?.secret
  return (
    <Card title="Signing secret">
      <Quiet>
        {liveSecrets === 1
          ? "One secret signs deliveries."
          : "Two secrets sign deliveries, until the one before ends: the new one is good already."}
      </Quiet>
      {typeof secret === "string" ? (
        <Secret label="New signing secret" value={secret} hint="It is shown this once. Give it to your endpoint." />
      ) : undefined}
      <Row>
        <Button onClick={() => setAsking(true)}>Replace it…</Button>
      </Row>
      <Confirm
        title="Replace the signing secret?"
        action="Replace"
        isOpen={isAsking}
        close={() => setAsking(false)}
        confirm={() => rotating.mutate(before)}
        isBusy={rotating.isPending}
        error={rotating.error}
      >
        <Stack>
          <p>A new one is made, and shown once.</p>
          <SelectField
            label="The one before"
            value={before}
            onChange={({ target }) => setBefore(target.value === "end" ? "end" : "overlap")}
          >
            <option value="overlap">Signs along for {OVERLAP_HOURS} hours</option>
            <option value="end">Ends now: it leaked</option>
          </SelectField>
        </Stack>
      </Confirm>
    </Card>
  )
}
