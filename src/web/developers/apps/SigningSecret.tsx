import { useState } from "react"
import { OVERLAP_HOURS } from "../../../domain/webhooks/Webhook.ts"
import type { AppId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/form/Button.tsx"
import { Confirm } from "../../ui/layout/Dialog.tsx"
import { SelectField } from "../../ui/form/Field.tsx"
import { Card, MutedText, Row, Stack } from "../../ui/layout/Page.tsx"
import { SecretField } from "../../ui/form/SecretField.tsx"
import { developerTexts } from "../developerTexts.ts"

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
    <Card title={developerTexts.signingSecret.title}>
      <MutedText>
        {liveSecrets === 1 ? developerTexts.signingSecret.oneSecret : developerTexts.signingSecret.twoSecrets}
      </MutedText>
      {typeof secret === "string" ? (
        <SecretField
          label={developerTexts.signingSecret.newSecret}
          value={secret}
          hint={developerTexts.signingSecret.newSecretHint}
        />
      ) : undefined}
      <Row>
        <Button onClick={() => setConfirming(true)}>{developerTexts.signingSecret.openRotate}</Button>
      </Row>
      <Confirm
        title={developerTexts.signingSecret.confirm}
        action={developerTexts.signingSecret.rotate}
        isOpen={isConfirming}
        close={() => setConfirming(false)}
        confirm={() => rotating.mutate(before)}
        isBusy={rotating.isPending}
        error={rotating.error}
      >
        <Stack>
          <p>{developerTexts.signingSecret.rotateAdvice}</p>
          <SelectField
            label={developerTexts.signingSecret.current}
            value={before}
            onChange={({ target }) => setBefore(target.value === "end" ? "end" : "overlap")}
          >
            <option value="overlap">{developerTexts.signingSecret.keepFor(OVERLAP_HOURS)}</option>
            <option value="end">{developerTexts.signingSecret.expireNow}</option>
          </SelectField>
        </Stack>
      </Confirm>
    </Card>
  )
}
