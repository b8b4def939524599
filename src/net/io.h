// The Asio types of this module: plain sockets with the io_context's own executor, which is measurably cheaper than
// any_io_executor. Internal: no public header includes this.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>

namespace openseat::net {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using IoError = boost::system::error_code;
using IoContext = asio::io_context;
using IoExecutor = IoContext::executor_type;
using TcpSocket = asio::basic_stream_socket<Tcp, IoExecutor>;
using TcpAcceptor = asio::basic_socket_acceptor<Tcp, IoExecutor>;
using TcpResolver = asio::ip::basic_resolver<Tcp, IoExecutor>;
using LoopTimer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, IoExecutor>;

}  // namespace openseat::net
