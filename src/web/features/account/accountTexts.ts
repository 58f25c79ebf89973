/** Texts of sign-in, sign-up and the account menu. */
export const accountTexts = {
  signOut: "Sign out",
  email: "E-mail address",
  password: "Password",
  signIn: "Sign in",
  signInAsDeveloper: "Sign in as a developer",
  noAccount: "No account yet?",
  signUp: "Sign up",
  signUpAsDeveloper: "Sign up as a developer",
  name: "Name",
  passwordHint: "At least 12 characters. A phrase that you can remember works well.",
  hasAccount: "Already have an account?"
} as const
