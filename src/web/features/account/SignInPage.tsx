import { useRouter, useSearch } from "@tanstack/react-router"
import { SignInForm } from "./SignInForm.tsx"
import { accountTexts } from "./accountTexts.ts"

/** Signs a merchant in, then returns to the page that was requested. */
export const SignInPage = () => {
  const { back = "/dashboard" } = useSearch({ from: "/dashboard/sign-in" })
  const router = useRouter()
  return <SignInForm title={accountTexts.signIn} onSignedIn={() => router.history.push(back)} />
}
