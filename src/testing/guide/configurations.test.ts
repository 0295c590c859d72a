import { readFile } from 'node:fs/promises'
import { createServer, type UserConfig } from 'vite'
import { afterEach, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { configSource, environmentSource, VARIABLES } from '../../cli/setting-sources.ts'
import { resolveSettings } from '../../cli/settings.ts'
import { startCommand, stopCommands } from '../command.ts'
import { EXAMPLES } from './example-code.ts'

afterEach(stopCommands)

describe('the example configurations', () => {
  test('settings.yaml has settings that are known and valid', async () => {
    const settings = resolveSettings([await configSource(`${EXAMPLES}/settings.yaml`)])

    expect(settings).toMatchObject({ port: 4011, keys: { my_key: 'gold' }, records: 500 })
  })

  test('vite.config.js leads to the sandbox, with links that lead back', async () => {
    const { base } = await startCommand(['--no-auth', '--trust-proxy', 'loopback'])
    const text = await readFile(`${EXAMPLES}/vite.config.js`, 'utf8')
    const source = text.replaceAll('http://127.0.0.1:4010', new URL(base).origin)
    const { default: config }: { default: UserConfig } = await import(
      `data:text/javascript,${encodeURIComponent(source)}`
    )
    const vite = await createServer({
      ...config,
      configFile: false,
      logLevel: 'silent',
      server: { ...config.server, host: '127.0.0.1', port: 0, ws: false, watch: null },
    })
    await vite.listen(0)
    const address = vite.httpServer?.address()
    const page = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`

    const kept = await fetch(`${page}/v1/pets?limit=1`)
    const removed = await fetch(`${page}/api/v1/pets?limit=1`)
    await vite.close()

    expect(kept.headers.get('Link')).toContain(`<${page}/v1/pets?`)
    expect(removed.headers.get('Link')).toContain(`<${page}/api/v1/pets?`)
  })

  test('playwright.config.js starts the sandbox, and waits for an address that it has', async () => {
    const { default: config } = await import(
      new URL('./examples/playwright.config.js', import.meta.url).href
    )
    const { command, url }: { command: string; url: string } = config.webServer
    const { base } = await startCommand(command.split(' ').slice(2))

    const response = await fetch(new URL(new URL(url).pathname, base))

    expect(response.status).toBe(200)
  })

  test('next.config.mjs leads to the base path of the sandbox', async () => {
    const { default: config } = await import(
      new URL('./examples/next.config.mjs', import.meta.url).href
    )

    expect(config.rewrites()).toEqual([
      { source: '/v1/:path*', destination: 'http://127.0.0.1:4010/v1/:path*' },
    ])
  })

  test('compose.yaml has settings that are known and valid, and a balancer that asks whether servers are ready', async () => {
    const text = await readFile(`${EXAMPLES}/compose.yaml`, 'utf8')
    const { services, configs } = parse(text, { merge: true })
    const { one, two } = services
    const names = [one, two].flatMap(({ environment }) => Object.keys(environment))
    const settings = resolveSettings([environmentSource(two.environment)])
    const [, probe = ''] = /httpchk GET (\S+)/.exec(configs.balancer.content) ?? []
    const { base } = await startCommand()

    const { status } = await fetch(new URL(probe, base))

    expect(names.filter((name) => !Object.values(VARIABLES).includes(name))).toEqual([])
    expect(settings).toMatchObject({ store: 'redis://store:6379', instance: 'two', log: 'json' })
    expect(status).toBe(200)
  })

  test('compose.yaml has a balancer that finds servers which start later or get another address', async () => {
    const { services, configs } = parse(await readFile(`${EXAMPLES}/compose.yaml`, 'utf8'))
    const lines: string[] = configs.balancer.content.split('\n').map((line: string) => line.trim())
    const servers = lines.filter((line) => line.startsWith('server '))
    const defaults = lines.find((line) => line.startsWith('default-server '))

    expect(servers).toEqual(['server one one:4010', 'server two two:4010'])
    expect(Object.keys(services)).toEqual(expect.arrayContaining(['one', 'two']))
    expect(defaults).toMatch(/ resolvers names init-addr libc,none$/)
    expect(lines).toContain('resolvers names')
  })

  test('Dockerfile starts the server as the process that gets the signal to stop', async () => {
    const text = await readFile(`${EXAMPLES}/Dockerfile`, 'utf8')
    const [, command = ''] = /^CMD (.+)$/m.exec(text) ?? []
    const { bin, peerDependencies } = JSON.parse(await readFile('package.json', 'utf8'))
    const [program, document]: string[] = JSON.parse(command)
    const [, packages = ''] = /^RUN npm install --global (.+)$/m.exec(text) ?? []

    expect(Object.keys(bin)).toContain(program)
    expect(document).toBe('/api/books.yaml')
    expect(packages.split(' ').slice(1)).toSatisfy((names: string[]) =>
      names.every((name) => name in peerDependencies),
    )
  })

  test('kubernetes.yaml has settings that are known, and probes that are answered', async () => {
    const text = await readFile(`${EXAMPLES}/kubernetes.yaml`, 'utf8')
    const [deployment, service] = parseAllDocuments(text).map((one) => one.toJS())
    const [container] = deployment.spec.template.spec.containers
    const names: string[] = container.env.map(({ name }: { name: string }) => name)
    const { base } = await startCommand()
    const statusOf = async ({ httpGet }: { httpGet: { path: string } }): Promise<number> =>
      (await fetch(new URL(httpGet.path, base))).status

    expect(names.filter((name) => !Object.values(VARIABLES).includes(name))).toEqual([])
    expect(await statusOf(container.readinessProbe)).toBe(200)
    expect(await statusOf(container.livenessProbe)).toBe(200)
    expect(service.spec.selector).toEqual(deployment.spec.selector.matchLabels)
  })

  test('workflow.yaml reports on the jobs that it runs', async () => {
    const { jobs }: { jobs: Record<string, { needs?: string; steps: { run?: string }[] }> } = parse(
      await readFile(`${EXAMPLES}/workflow.yaml`, 'utf8'),
    )

    expect(jobs.report?.needs).toBe('test')
    expect(jobs.test?.steps.at(-2)?.run).toContain('npx pet-sandbox exec ')
    expect(jobs.report?.steps.at(-2)?.run).toContain('npx pet-sandbox report ')
  })
})
