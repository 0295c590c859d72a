import { compactVerify, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { jwtPart } from './find-token.ts'
import type { SignInState, SigningKey } from './sign-in-state.ts'

/** Every key of a sandbox has an id that begins so, by which its JWTs are told from others. */
const KEY_PREFIX = 'sbx-'

const ALGORITHM = 'RS256'

/** The key that signs now. It is made when it is needed for the first time. */
async function signingKeyOf(state: SignInState): Promise<SigningKey> {
  return (await latestKey(state)) ?? createKey(state)
}

/** The public keys, as a JSON Web Key Set (RFC 7517). A key that was replaced is not in it any more. */
export async function keySetOf(state: SignInState): Promise<{ readonly keys: readonly object[] }> {
  const { kid, public: jwk } = await signingKeyOf(state)
  return { keys: [{ ...jwk, kid, use: 'sig', alg: ALGORITHM }] }
}

/** Replaces the key. JWTs that the old one signed cannot be verified with the key set any more. */
export function rotateKey(state: SignInState): Promise<SigningKey> {
  return createKey(state, true)
}

/** A JWT with these claims, signed by the present key. `type` is the `typ` of its header. */
export async function signJwt(
  claims: Readonly<Record<string, unknown>>,
  type: 'JWT' | 'at+jwt',
  state: SignInState,
): Promise<string> {
  const { kid, private: jwk } = await signingKeyOf(state)
  const key = await importJWK({ ...jwk }, ALGORITHM)

  return new SignJWT({ ...claims }).setProtectedHeader({ alg: ALGORITHM, typ: type, kid }).sign(key)
}

/** The claims of a JWT that a key of this world has signed, also of one that has expired; `undefined` for any other text. */
export async function verifiedClaims(
  text: string,
  state: SignInState,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { kid } = jwtPart(text, 0) ?? {}
  const key = (await state.all('key')).find((one) => one.kid === kid)
  if (!key) return undefined
  try {
    await compactVerify(text, await importJWK({ ...key.public }, ALGORITHM))
    return jwtPart(text, 1)
  } catch {
    return undefined
  }
}

async function latestKey(state: SignInState): Promise<SigningKey | undefined> {
  const keys = await state.all('key')
  return [...keys].sort((one, other) => other.number - one.number)[0]
}

/** Adds a key. Of several that are made at the same time, the first one counts: they have the same id. */
async function createKey(state: SignInState, isNew = false): Promise<SigningKey> {
  const before = await latestKey(state)
  const number = (before?.number ?? 0) + 1
  const kid = `${KEY_PREFIX}${await state.randomText(16)}`
  const jwk = (isNew ? undefined : state.settings.key) ?? (await generatedKey())
  const { kty, n, e } = jwk
  const key: SigningKey = {
    ...{ id: `key:${number}`, kind: 'key', kid, number },
    ...{ private: jwk, public: { kty, n, e } },
  }
  try {
    return await state.add(key)
  } catch (error) {
    const other = await state.find('key', String(number))
    if (other) return other
    throw error
  }
}

async function generatedKey(): Promise<JWK & Readonly<Record<string, unknown>>> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true })
  return { ...(await exportJWK(privateKey)) }
}
