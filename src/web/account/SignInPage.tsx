import { useRouter, useSearch } from "@tanstack/react-router"
import { SignInForm } from "./SignInForm.tsx"

/** Signs a merchant in, then returns to the page that was requested. */
export const SignInPage = () => {
  const { back = "/dashboard" } = useSearch({ from: "/dashboard/sign-in" })
  const router = useRouter()
  return <SignInForm title="Sign in" onSignedIn={() => router.history.push(back)} />
}
