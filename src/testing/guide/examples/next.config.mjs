export default {
  rewrites() {
    return [{ source: '/v1/:path*', destination: 'http://127.0.0.1:4010/v1/:path*' }]
  },
}
