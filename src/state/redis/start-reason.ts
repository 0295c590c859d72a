import { storeError } from './store-errors.ts'

/** Errors of a network connection, by their code. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be resolved',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'the connection was closed; it may require TLS (rediss://)',
}

/** Why a store cannot be used at the start, and what to do, without the password. */
export function startReason(error: unknown): { readonly reason: string; readonly help: string } {
  const code = codeOf(error)
  const network = code === undefined ? undefined : NETWORK[code]
  if (network !== undefined) {
    return { reason: network, help: 'Check the address, and that the store is running.' }
  }
  const { message } = storeError(error)
  const isPassword = message.includes('password')
  return {
    reason: message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, ''),
    help: isPassword
      ? 'Give them in the address: redis://USER:PASSWORD@HOST:PORT.'
      : 'Check the address, and that the store is running.',
  }
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code === 'string') return code
  const message: unknown = Reflect.get(error, 'message')
  return message === 'connect ETIMEDOUT' ? 'ETIMEDOUT' : undefined
}
