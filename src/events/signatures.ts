import type { Delivery } from './delivery.ts'
import type { SignatureForm } from './event-settings.ts'

// How receivers know that a delivery is from the service. The HMACs are those of the Web Crypto API, which browsers and Node have.

/** What is signed. */
interface Signed extends Pick<Delivery, 'url' | 'body' | 'event'> {
  /** The time of the attempt, in epoch milliseconds. */
  readonly time: number
  /** The first one is the newest. Receivers accept any of them. */
  readonly secrets: readonly string[]
}

/** The headers of an attempt that show who sent it. */
export async function signatureHeaders(
  form: SignatureForm,
  signed: Signed,
): Promise<Readonly<Record<string, string>>> {
  const { body, secrets, time, event, url } = signed
  const [secret = ''] = secrets
  const seconds = Math.floor(time / 1000)
  if (typeof form === 'object')
    return { [form.header]: hex(await hmac('SHA-256', utf8(secret), body)) }
  switch (form) {
    case 'standard': {
      const content = `${event.id}.${seconds}.${body}`
      const signatures = await Promise.all(
        secrets.map(
          async (one) => `v1,${base64(await hmac('SHA-256', standardKey(one), content))}`,
        ),
      )
      return {
        'webhook-id': event.id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signatures.join(' '),
      }
    }
    case 'github': {
      const signature = hex(await hmac('SHA-256', utf8(secret), body))
      return {
        'X-GitHub-Event': event.type,
        'X-GitHub-Delivery': event.id,
        'X-Hub-Signature-256': `sha256=${signature}`,
      }
    }
    case 'stripe': {
      const signatures = await Promise.all(
        secrets.map(
          async (one) => `v1=${hex(await hmac('SHA-256', utf8(one), `${seconds}.${body}`))}`,
        ),
      )
      return { 'Stripe-Signature': [`t=${seconds}`, ...signatures].join(',') }
    }
    case 'twilio':
      return {
        'X-Twilio-Signature': base64(await hmac('SHA-1', utf8(secret), url + twilioText(body))),
      }
    case 'bearer':
      return { Authorization: `Bearer ${secret}` }
    default:
      return {}
  }
}

/**
 * The parameters of a form in the order of their names, without separators; of several with a name each value once, in the order of the
 * values, as the libraries of receivers have them. A JSON body is not part of the signed text.
 */
function twilioText(body: string): string {
  if (/^\s*[[{]/.test(body)) return ''
  const form = new URLSearchParams(body)
  return [...new Set(form.keys())]
    .sort()
    .flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value))
    .join('')
}

/** The bytes of a secret of Standard Webhooks: base64 after `whsec_`; another text as it is. */
function standardKey(secret: string): Uint8Array {
  const text = secret.replace(/^whsec_/, '')
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return utf8(secret)
  }
}

async function hmac(hash: string, key: Uint8Array, text: string): Promise<Uint8Array> {
  // An empty key is not allowed; HMAC pads keys with zeros, so that one zero is the same.
  const bytes = new Uint8Array(key.length > 0 ? key : [0])
  const imported = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash }, false, [
    'sign',
  ])

  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text)))
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
