import { useRouter, useSearch } from "@tanstack/react-router"
import { SignInForm } from "./SignInForm.tsx"

/** The way into the dashboard, and back to where it was asked for. */
export const SignInPage = () => {
  const { back = "/dashboard" } = useSearch({ from: "/dashboard/sign-in" })
  const router = useRouter()
  return <SignInForm title="Sign in" onSignedIn={() => router.history.push(back)} />
}
