import { useDates } from "../../shared/data/format.ts"
import { Effect } from "effect"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { Stack } from "../../shared/ui/layout/Page.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { planChoice, priceText, trialText } from "./appStatus.ts"
import { appTexts } from "./appTexts.ts"

interface ChoosePlanProps {
  readonly installationId: InstallationId
  readonly plan: AppPlan
  readonly current: Subscription | null
  readonly close: () => void
}

/** Confirms the price of a plan, then subscribes or switches to it. */
export const ChoosePlanDialog = ({ close, current, installationId, plan }: ChoosePlanProps) => {
  const storeId = useStoreId()
  const isChange = planChoice(plan, current).isSwitch
  const choose = useRpcMutation({
    write: ({ billing }, _: void, idempotencyKey) =>
      Effect.gen(function* () {
        const request = { storeId, installationId, idempotencyKey, planId: plan.id }
        return isChange ? yield* billing.change(request) : yield* billing.subscribe(request)
      }),
    invalidates: [[storeId, "app", installationId]],
    onSuccess: () => {
      toast(appTexts.billing.subscribed(plan.name))
      close()
    }
  })
  return (
    <Confirm
      title={isChange ? appTexts.billing.confirmSwitch(plan.name) : appTexts.billing.confirmSubscribe(plan.name)}
      action={isChange ? appTexts.billing.switchPlan : appTexts.billing.subscribe}
      kind="strong"
      isOpen
      close={close}
      confirm={() => choose.mutate()}
      isBusy={choose.isPending}
      error={choose.error}
    >
      <Stack>
        <p>
          {appTexts.billing.agreement.before}
          <strong>{priceText(plan)}</strong>
          {appTexts.billing.agreement.after}
        </p>
        <p>
          {isChange && current !== null
            ? appTexts.billing.switchEndsSubscription(current.planName)
            : `${trialText(plan)}.`}
        </p>
      </Stack>
    </Confirm>
  )
}

interface CancelPlanProps {
  readonly installationId: InstallationId
  readonly subscription: Subscription
  readonly close: () => void
}

/** Cancels a subscription at the end of its period. */
export const CancelPlanDialog = ({
  close,
  installationId,
  subscription: { periodEndsAt, planName }
}: CancelPlanProps) => {
  const storeId = useStoreId()
  const { day } = useDates()
  const cancel = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.billing.cancel({ storeId, installationId, idempotencyKey }),
    invalidates: [[storeId, "app", installationId]],
    onSuccess: () => {
      toast(appTexts.billing.canceled(planName))
      close()
    }
  })
  return (
    <Confirm
      title={appTexts.billing.confirmCancel(planName)}
      action={appTexts.billing.cancel}
      isOpen
      close={close}
      confirm={() => cancel.mutate()}
      isBusy={cancel.isPending}
      error={cancel.error}
    >
      <Stack>
        <p>{appTexts.billing.cancelEnds(day(periodEndsAt))}</p>
        <p>{appTexts.billing.cancelAdvice}</p>
      </Stack>
    </Confirm>
  )
}
