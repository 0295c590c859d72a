import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { runCommand, startCommand, stopCommands } from '../command.ts'
import { findFreePort } from '../free-port.ts'
import { startRedis, stopRedis } from '../redis/start-redis.ts'
import { useTemporaryDirectory } from '../temporary-directory.ts'
import { createAnimal } from './animals.ts'
import { BIN } from './servers.ts'

describe('a store with TLS', () => {
  const folder = useTemporaryDirectory()
  afterEach(async () => {
    await stopCommands()
    await stopRedis()
  })

  it('is used when its certificate is trusted', async () => {
    const { address, certificate } = await startEncrypted(folder())
    const server = await startCommand(['--store', address, '--log', 'silent'], {
      program: [process.execPath, BIN],
      env: { NODE_EXTRA_CA_CERTS: certificate },
    })

    const { status } = await createAnimal(server, 'Fern')

    expect(status).toBe(201)
  })

  it('is refused with one line when its certificate is not trusted', async () => {
    const { address, port } = await startEncrypted(folder())

    const { code, stderr } = await runCommand(['--store', address])

    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `pet-sandbox: Cannot use the store at 127.0.0.1:${port}: its certificate is not trusted. Set NODE_EXTRA_CA_CERTS to the file of its certificate authority.\n`,
    })
  })

  it('is told apart from one without TLS', async () => {
    const { address, port } = await startEncrypted(folder())
    const plain = await startRedis()

    const toEncrypted = await runCommand(['--store', address.replace('rediss:', 'redis:')])
    const toPlain = await runCommand(['--store', plain.address.replace('redis:', 'rediss:')])

    expect([toEncrypted, toPlain]).toMatchObject([
      {
        code: 2,
        stderr: `pet-sandbox: Cannot use the store at 127.0.0.1:${port}: it uses TLS at this port. Use rediss:// instead of redis://.\n`,
      },
      {
        code: 2,
        stderr: `pet-sandbox: Cannot use the store at 127.0.0.1:${plain.port}: it does not use TLS at this port. Use redis:// instead of rediss://.\n`,
      },
    ])
  })
})

/** Starts a Redis that accepts only TLS, with a certificate of its own. */
async function startEncrypted(folder: string): Promise<{
  readonly address: string
  readonly port: number
  readonly certificate: string
}> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', key, '-out', certificate, '-days', '2', '-subj', '/CN=pets'],
    ...['-addext', 'subjectAltName=IP:127.0.0.1'],
  ])
  const port = await findFreePort()
  const settings = {
    'tls-port': String(port),
    'tls-cert-file': certificate,
    'tls-key-file': key,
    'tls-ca-cert-file': certificate,
    'tls-auth-clients': 'no',
  }
  await startRedis({ password: 'hunter2', settings })

  return { address: `rediss://:hunter2@127.0.0.1:${port}`, port, certificate }
}
