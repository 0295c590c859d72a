import type { CoreResponse } from '../http/message.ts'
import { type AuthenticatedClient, authenticateClient } from './clients.ts'
import { type EndpointRequest, tokenResponse } from './endpoint-request.ts'
import { PREFIXES } from './find-token.ts'
import { OAuthError } from './oauth-error.ts'
import { bodyParameters } from './request-parameters.ts'
import { askedScopes } from './scopes.ts'
import type { DeviceRequest, Grant, SignInState, UserCode } from './sign-in-state.ts'

/** On the sandbox's clock, in milliseconds. */
const LIFETIME = 15 * 60_000
/** Seconds between two polls. */
const INTERVAL = 5

/** Consonants without similar ones (RFC 8628, section 6.1): 20 ** 8 possible codes. */
const LETTERS = [...'BCDFGHJKLMNPQRSTVWXZ']

/** Begins the sign-in of a device (RFC 8628, section 3.1). */
export async function answerDeviceAuthorization(
  asked: EndpointRequest & { readonly verificationUri: string },
): Promise<CoreResponse> {
  const { request, state, verificationUri } = asked
  const parameters = await bodyParameters(request)
  const { id } = authenticateClient(request, parameters, state.settings)
  const scopes = askedScopes(parameters.get('scope'), state.host.service.settings.contract)
  const code = PREFIXES.device + (await state.randomText(36))
  const letters = await state.randomText(8, LETTERS)
  const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`
  await state.add<DeviceRequest>({
    ...{ id: `device:${code}`, kind: 'device', client: id, scopes, userCode },
    ...{ expiresAt: state.now + LIFETIME, nextPoll: 0, interval: INTERVAL },
  })
  await state.add<UserCode>({
    id: `user-code:${userCode}`,
    kind: 'user-code',
    device: `device:${code}`,
  })

  return tokenResponse({
    device_code: code,
    user_code: userCode,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
    expires_in: LIFETIME / 1000,
    interval: INTERVAL,
  })
}

/** The device that waits for a code, as a person types it; `undefined` for an unknown or an old code. */
export async function findDevice(
  typed: string,
  state: SignInState,
): Promise<DeviceRequest | undefined> {
  const letters = typed.toUpperCase().replace(/[^A-Z]/g, '')
  const known = await state.find('user-code', `${letters.slice(0, 4)}-${letters.slice(4)}`)
  const device = known && (await state.find('device', known.device.replace(/^device:/, '')))
  if (device && device.expiresAt > state.now && !device.grant && !device.isDenied) return device
  await state.countWrongCode()
  return undefined
}

/** The grant of a device that asks again. Throws an OAuthError while there is none (RFC 8628, section 3.5). */
export async function pollDevice(
  code: string,
  client: AuthenticatedClient,
  state: SignInState,
): Promise<Grant> {
  const { now } = state
  const device = await state.change<DeviceRequest>(`device:${code}`, 'device', (one) => {
    if (one.isDenied || one.client !== client.id) return undefined
    if (one.grant) return { ...one, isUsed: true }
    const isEarly = now < one.nextPoll
    const interval = isEarly ? one.interval + INTERVAL : one.interval
    return { ...one, interval, nextPoll: now + interval * 1000 }
  })
  if (!device) {
    await state.countWrongCode()
    throw new OAuthError('invalid_grant', 'The device_code was not issued here.')
  }
  if (device.client !== client.id)
    throw new OAuthError('invalid_grant', 'The device_code was issued to another client.')
  if (device.expiresAt <= now) throw new OAuthError('expired_token', 'The device_code has expired.')
  if (device.isDenied) throw new OAuthError('access_denied', 'The user has denied access.')
  if (!device.grant) {
    if (now < device.nextPoll)
      throw new OAuthError(
        'slow_down',
        `Wait for ${device.interval + INTERVAL} seconds between two requests.`,
      )
    throw new OAuthError('authorization_pending', 'The user has not entered the code yet.')
  }
  const grant = await state.find('grant', device.grant.replace(/^grant:/, ''))
  if (!grant || grant.ended || device.isUsed)
    throw new OAuthError('invalid_grant', 'The device_code was used before.')
  await state.remove(`user-code:${device.userCode}`)

  return grant
}
