import { isObject } from '../../validation/is-object.ts'

// The token is in the present entry of the history, which no other page can read. Every page of the origin can read
// `sessionStorage`, and the responses of the API have the same origin.

/** The token that was typed in this tab; `undefined` when none was. */
export function storedToken(): string | undefined {
  const state: unknown = history.state
  return isObject(state) && typeof state.token === 'string' ? state.token : undefined
}

/** Keeps the token for the present address, until the tab is closed. */
export function storeToken(token: string): void {
  history.replaceState({ token }, '')
}
