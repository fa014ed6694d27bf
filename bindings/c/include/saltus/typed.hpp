/* Typed publishers and subscribers, for the classes that `saltus gen --lang cpp` generates. */
#ifndef SALTUS_TYPED_HPP
#define SALTUS_TYPED_HPP

#include "domain.hpp"

#include <climits>

namespace saltus {

namespace detail {

/** The type of a generated class. */
template <class T>
saltus_type type_of() noexcept {
    return saltus_type{T::FULL_NAME, T::FINGERPRINT, T::SCHEMA};
}

} // namespace detail

/** Publishes messages of one generated type. */
template <class T>
class publisher_of {
public:
    explicit publisher_of(domain_publisher publisher) : publisher_(std::move(publisher)) {}
    /**
     * Encodes and publishes. Allocates only for a message longer than all before it. SALTUS_ENCODE_FAILED if the size of an array differs
     * from its size field.
     */
    result<> publish(const T &message) {
        const int size = message.getEncodedSize();
        buffer_.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        if (size < 0 || message.encode(buffer_.data(), 0, size) != size) {
            return {SALTUS_ENCODE_FAILED, "a message cannot be encoded: an array has another size than its size field says"};
        }
        return publisher_.publish(buffer_);
    }
    /** The publisher or subscriber of bytes that it uses. */
    domain_publisher &untyped() noexcept { return publisher_; }

private:
    domain_publisher publisher_;
    std::vector<unsigned char> buffer_;
};

/** A decoded message and its metadata. The next receive reuses its memory. */
template <class T>
struct typed {
    const T &message;
    saltus::message about;
    const T &operator*() const noexcept { return message; }
    const T *operator->() const noexcept { return &message; }
};

/** Receives messages of one generated type. Messages of another type are reported once, with SALTUS_WRONG_TYPE, and then skipped. */
template <class T>
class subscriber_of {
public:
    explicit subscriber_of(domain_subscriber subscriber)
        : subscriber_(std::move(subscriber)), message_(std::make_unique<T>()) {}
    /** Receives and decodes as its mode says. SALTUS_DECODE_FAILED if the message is damaged. */
    result<typed<T>> receive(until until) { return decoded(subscriber_.receive(until)); }
    /** Receives the newest message, even if it was already received. */
    result<typed<T>> current(until until) { return decoded(subscriber_.current(until)); }
    /** The publisher or subscriber of bytes that it uses. */
    domain_subscriber &untyped() noexcept { return subscriber_; }

private:
    result<typed<T>> decoded(const result<message> &got) {
        if (!got) {
            return result<typed<T>>::failed(got.code());
        }
        const bytes data = got->data();
        const bool fits = data.size() <= static_cast<std::size_t>(INT_MAX) &&
                          message_->decode(data.data(), 0, static_cast<int>(data.size())) >= 0;
        using of = result<typed<T>>;
        return fits ? of(typed<T>{*message_, *got})
                    : of::failed(SALTUS_DECODE_FAILED, "a message cannot be decoded as its type: it is damaged");
    }
    domain_subscriber subscriber_;
    std::unique_ptr<T> message_;
};

template <class T>
result<publisher_of<T>> domain::publisher(const char *channel) const {
    const saltus_type type = detail::type_of<T>();
    auto made = detail::open<domain_publisher>(
        [&](auto place) { return saltus_domain_publisher_open(handle_.get(), channel, &type, place); });
    using of = result<publisher_of<T>>;
    return made ? of(publisher_of<T>(std::move(*made))) : of::failed(made.code());
}

template <class T>
result<subscriber_of<T>> domain::subscriber(const channels &which, mode mode) const {
    const saltus_type type = detail::type_of<T>();
    const saltus_domain_options with = mode.raw(which, &type);
    auto made = detail::open<domain_subscriber>(
        [&](auto place) { return saltus_domain_subscriber_open(handle_.get(), which.text(), &with, place); });
    using of = result<subscriber_of<T>>;
    return made ? of(subscriber_of<T>(std::move(*made))) : of::failed(made.code());
}

} // namespace saltus

#endif // SALTUS_TYPED_HPP
