// `npm run audit`: lists the known vulnerabilities of the production dependencies. It fails when there are any, and when the
// registry does not respond. Most mirrors do not support audits: then it prints so, and does not fail.
import { spawnSync } from 'node:child_process'

/** The registry does not support audits: not found, method not allowed, not implemented. */
const UNSUPPORTED = [404, 405, 501]

const npm = spawnSync('npm', ['audit', '--omit=dev', '--json', ...process.argv.slice(2)], {
  encoding: 'utf8',
  // On Windows, npm is a script.
  shell: process.platform === 'win32',
})
const { metadata, vulnerabilities, statusCode, error, message } = npm.stdout
  ? JSON.parse(npm.stdout)
  : { error: { summary: npm.error?.message ?? npm.stderr } }

if (metadata) {
  for (const { name, severity, via } of Object.values(vulnerabilities)) {
    const why = via.map((cause) =>
      cause.title ? `${cause.title} (${cause.range}, ${cause.url})` : `by ${cause}`,
    )
    console.error(`${name}, ${severity}: ${why.join('; ')}`)
  }
  const { total } = metadata.vulnerabilities
  console.log(`${total} of ${metadata.dependencies.prod} packages are vulnerable.`)
  process.exitCode = total === 0 ? 0 : 1
} else {
  console.error(`Not audited: ${message ?? error?.summary}`)
  console.error('Use another registry with: npm run audit -- --registry <address>')
  process.exitCode = UNSUPPORTED.includes(statusCode) ? 0 : 1
}
