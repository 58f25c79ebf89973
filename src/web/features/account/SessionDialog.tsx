import type { Account } from "../../../domain/access/Merchants.ts"
import { declineSignIn, renewSession, useEndedSession } from "../../shared/data/session.ts"
import type { SignedIn } from "../../shared/data/service.ts"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { SaveForm } from "../../shared/ui/form/SaveForm.tsx"
import css from "./Account.module.css"
import { SignInFields, useSignIn } from "./SignInPage.tsx"
import { accountTexts } from "./accountTexts.ts"

/** Loads the page for another account. The changes on it belong to the previous one, so the browser does not ask. */
const reload = () => {
  addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), { capture: true })
  location.reload()
}

const SignInAgain = ({ account }: { readonly account: Account }) => {
  const onSignedIn = ({ merchantId }: SignedIn) => (merchantId === account.merchantId ? renewSession() : reload())
  const { submit, ...signingIn } = useSignIn(onSignedIn, account.email)
  return (
    <SaveForm className={css["fields"]} onSubmit={submit}>
      <p>{accountTexts.sessionAdvice}</p>
      <SignInFields {...signingIn} />
    </SaveForm>
  )
}

/** Asks for the sign-in over a page whose session has ended. Nothing typed on the page is lost. */
export const SessionDialog = ({ account }: { readonly account: Account }) =>
  useEndedSession() ? (
    <Dialog title={accountTexts.sessionEnded} isOpen close={declineSignIn}>
      <SignInAgain account={account} />
    </Dialog>
  ) : undefined
