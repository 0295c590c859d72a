const NAME = 'pet-sandbox-token'

/** The token that was typed in this tab; `undefined` when none was. */
export function storedToken(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined
}

/** Keeps the token until the tab is closed. */
export function storeToken(token: string): void {
  sessionStorage.setItem(NAME, token)
}
