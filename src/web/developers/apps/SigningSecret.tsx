import { useState } from "react"
import { OVERLAP_HOURS } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/form/Button.tsx"
import { Confirm } from "../../ui/layout/Dialog.tsx"
import { SelectField } from "../../ui/form/Field.tsx"
import { Card, MutedText, Row, Stack } from "../../ui/layout/Page.tsx"
import { SecretField } from "../../ui/form/SecretField.tsx"

type Before = "overlap" | "end"

/** Rotates the secret that signs deliveries. */
export const SigningSecret = ({ appId, liveSecrets }: { readonly appId: AppId; readonly liveSecrets: number }) => {
  const [isConfirming, setConfirming] = useState(false)
  const [before, setBefore] = useState<Before>("overlap")
  const rotating = useRpcMutation({
    write: (client, what: Before, idempotencyKey) =>
      client.appWebhooks.rotateSecret({ idempotencyKey, id: appId, before: what }),
    invalidates: [["app", appId, "webhook"]],
    onSuccess: () => setConfirming(false)
  })
  const secret = rotating.data?.secret
  return (
    <Card title="Signing secret">
      <MutedText>
        {liveSecrets === 1
          ? "One secret signs deliveries."
          : "Two secrets sign deliveries until the previous one expires. You can already use the new one."}
      </MutedText>
      {typeof secret === "string" ? (
        <SecretField
          label="New signing secret"
          value={secret}
          hint="This secret is shown only once. Add it to your endpoint."
        />
      ) : undefined}
      <Row>
        <Button onClick={() => setConfirming(true)}>Rotate signing secret…</Button>
      </Row>
      <Confirm
        title="Rotate the signing secret?"
        action="Rotate secret"
        isOpen={isConfirming}
        close={() => setConfirming(false)}
        confirm={() => rotating.mutate(before)}
        isBusy={rotating.isPending}
        error={rotating.error}
      >
        <Stack>
          <p>A new secret is created and shown once.</p>
          <SelectField
            label="Current secret"
            value={before}
            onChange={({ target }) => setBefore(target.value === "end" ? "end" : "overlap")}
          >
            <option value="overlap">Keep for {OVERLAP_HOURS} hours</option>
            <option value="end">Expire now (the secret leaked)</option>
          </SelectField>
        </Stack>
      </Confirm>
    </Card>
  )
}
