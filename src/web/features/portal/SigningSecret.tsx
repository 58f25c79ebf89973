import { useState } from "react"
import { OVERLAP_HOURS } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { SelectField } from "../../shared/ui/form/Field.tsx"
import { Card, MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { SecretField } from "../../shared/ui/display/Copyable.tsx"
import { portalTexts } from "./portalTexts.ts"

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
    <Card title={portalTexts.signingSecret.title}>
      <MutedText>
        {liveSecrets === 1 ? portalTexts.signingSecret.oneSecret : portalTexts.signingSecret.twoSecrets}
      </MutedText>
      {typeof secret === "string" ? (
        <SecretField
          label={portalTexts.signingSecret.newSecret}
          value={secret}
          hint={portalTexts.signingSecret.newSecretHint}
        />
      ) : undefined}
      <Row>
        <Button onClick={() => setConfirming(true)}>{portalTexts.signingSecret.openRotate}</Button>
      </Row>
      <Confirm
        title={portalTexts.signingSecret.confirm}
        action={portalTexts.signingSecret.rotate}
        isOpen={isConfirming}
        close={() => setConfirming(false)}
        confirm={() => rotating.mutate(before)}
        isBusy={rotating.isPending}
        error={rotating.error}
      >
        <Stack>
          <p>{portalTexts.signingSecret.rotateAdvice}</p>
          <SelectField
            label={portalTexts.signingSecret.current}
            value={before}
            onChange={({ target }) => setBefore(target.value === "end" ? "end" : "overlap")}
          >
            <option value="overlap">{portalTexts.signingSecret.keepFor(OVERLAP_HOURS)}</option>
            <option value="end">{portalTexts.signingSecret.expireNow}</option>
          </SelectField>
        </Stack>
      </Confirm>
    </Card>
  )
}
