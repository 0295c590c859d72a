import type { Grant, IssuedToken, SignInState } from './sign-in-state.ts'

/** The beginnings of what a sandbox issues, by which it is told from other credentials. */
export const PREFIXES = {
  access: 'sbx_at_',
  refresh: 'sbx_rt_',
  code: 'sbx_ac_',
  device: 'sbx_dc_',
} as const

/** Why a token does not work: each is told in the challenge. */
export type TokenFault = 'expired' | 'revoked' | 'altered' | 'unknown'

/** A token that was issued here, or claims to be. */
export interface FoundToken {
  readonly token?: IssuedToken
  readonly grant?: Grant
  /** Absent when it works. */
  readonly fault?: TokenFault
}

/** Whether a credential says that a sandbox issued it: by its prefix, or as a JWT by the id of its key. */
export function isIssued(credential: string): boolean {
  if (credential.startsWith(PREFIXES.access) || credential.startsWith(PREFIXES.refresh)) return true
  if (credential.startsWith(PREFIXES.code) || credential.startsWith(PREFIXES.device)) return true
  const { kid } = jwtPart(credential, 0) ?? {}
  return typeof kid === 'string' && kid.startsWith('sbx-')
}

/** The access token with this text. */
export async function findAccess(text: string, state: SignInState): Promise<FoundToken> {
  const { jti } = jwtPart(text, 1) ?? {}
  const name = typeof jti === 'string' ? jti : text
  return checked(await state.find('access', name), text, state)
}

/** The access or refresh token with this text. */
export async function findToken(text: string, state: SignInState): Promise<FoundToken> {
  if (!text.startsWith(PREFIXES.refresh)) return findAccess(text, state)
  return checked(await state.find('refresh', text), text, state)
}

async function checked(
  token: IssuedToken | undefined,
  text: string,
  state: SignInState,
): Promise<FoundToken> {
  if (!token) return { fault: 'unknown' }
  if (token.text !== text) return { fault: 'altered' }
  const grant = await state.find('grant', token.grant.replace(/^grant:/, ''))
  if (!grant) return { token, fault: 'unknown' }
  if (grant.ended || token.isSpent) return { token, grant, fault: 'revoked' }
  return token.expiresAt <= state.now ? { token, grant, fault: 'expired' } : { token, grant }
}

/** The JSON of a part of a JWT; `undefined` for other texts. */
export function jwtPart(text: string, at: 0 | 1): Readonly<Record<string, unknown>> | undefined {
  const parts = text.split('.')
  if (parts.length !== 3 || !text.startsWith('eyJ')) return undefined
  try {
    const encoded = (parts[at] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
