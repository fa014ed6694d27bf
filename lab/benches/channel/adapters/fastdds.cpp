// Fast DDS: one topic of `sequence<octet>`, reliable, with the whole history kept on both sides, so that a writer
// waits for readers that are far behind. Transports, discovery and publish mode are the defaults. A reader takes the
// waiting messages, and blocks in a waitset.
#include "adapter.hpp"

#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>
#include <fastdds/dds/core/condition/StatusCondition.hpp>
#include <fastdds/dds/core/condition/WaitSet.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <memory>
#include <stdexcept>

namespace fast = eprosima::fastdds::dds;
namespace rtps = eprosima::fastrtps::rtps;
using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;
using eprosima::fastrtps::types::ReturnCode_t;

namespace {

/// The number of usable domains, without those whose ports other programs may use.
constexpr uint64_t DOMAINS = 200;
/// How long a writer may wait for its readers, seconds.
constexpr int32_t PATIENCE = 10;
/// The header before the bytes: their encoding, and their number.
constexpr uint32_t HEAD = 8;

/// The code that the IDL compiler would generate for `Bytes`.
class BytesType : public fast::TopicDataType {
public:
    explicit BytesType(size_t longest) {
        setName("saltus::Bytes");
        m_typeSize = static_cast<uint32_t>(longest) + HEAD;
        m_isGetKeyDefined = false;
    }

    bool serialize(void *data, rtps::SerializedPayload_t *payload) override {
        const auto &message = *static_cast<Bytes *>(data);
        FastBuffer buffer(reinterpret_cast<char *>(payload->data), payload->max_size);
        Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        payload->encapsulation = cdr.endianness() == Cdr::BIG_ENDIANNESS ? CDR_BE : CDR_LE;
        cdr.serialize_encapsulation();
        cdr << message.length;
        cdr.serializeArray(message.data, message.length);
        payload->length = static_cast<uint32_t>(cdr.getSerializedDataLength());
        return true;
    }

    bool deserialize(rtps::SerializedPayload_t *payload, void *data) override {
        FastBuffer buffer(reinterpret_cast<char *>(payload->data), payload->length);
        Cdr cdr(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        cdr.read_encapsulation();
        cdr >> static_cast<Bytes *>(data)->own;
        return true;
    }

    std::function<uint32_t()> getSerializedSizeProvider(void *data) override {
        return [data] { return static_cast<Bytes *>(data)->length + HEAD; };
    }

    void *createData() override { return new Bytes; }
    void deleteData(void *data) override { delete static_cast<Bytes *>(data); }
    bool getKey(void *, rtps::InstanceHandle_t *, bool) override { return false; }
};

void done(const char *call, ReturnCode_t code) {
    if (code != ReturnCode_t::RETCODE_OK) {
        throw std::runtime_error(std::string(call) + " returned " + std::to_string(code()));
    }
}

/// The object that a call created; throws if it is null.
template <typename Made>
Made *made(const char *call, Made *pointer) {
    if (pointer == nullptr) {
        throw std::runtime_error(std::string(call) + " failed");
    }
    return pointer;
}

struct Receiver {
    fast::DataReader *reader;
    fast::WaitSet waits;
    Bytes sample;

    int64_t take(uint8_t *to, size_t room) {
        fast::SampleInfo info;
        const ReturnCode_t code = reader->take_next_sample(&sample, &info);
        if (code == ReturnCode_t::RETCODE_NO_DATA) {
            return NONE;
        }
        done("take_next_sample", code);
        return info.valid_data ? copy(sample, to, room) : NONE;
    }
};

struct Member {
    fast::DomainParticipant *participant;
    fast::Publisher *publisher;
    fast::Subscriber *subscriber;
    int32_t depth;
    std::vector<std::unique_ptr<Receiver>> receivers;

    Member(uint64_t number, size_t longest, size_t depth) : depth(static_cast<int32_t>(depth)) {
        auto *factory = fast::DomainParticipantFactory::get_instance();
        const auto domain = static_cast<fast::DomainId_t>(number % DOMAINS);
        participant = made("create_participant", factory->create_participant(domain, fast::PARTICIPANT_QOS_DEFAULT));
        done("register_type", participant->register_type(fast::TypeSupport(new BytesType(longest))));
        publisher = made("create_publisher", participant->create_publisher(fast::PUBLISHER_QOS_DEFAULT));
        subscriber = made("create_subscriber", participant->create_subscriber(fast::SUBSCRIBER_QOS_DEFAULT));
    }

    ~Member() {
        receivers.clear();
        participant->delete_contained_entities();
        fast::DomainParticipantFactory::get_instance()->delete_participant(participant);
    }

    fast::Topic *topic(const char *name) {
        return made("create_topic", participant->create_topic(name, "saltus::Bytes", fast::TOPIC_QOS_DEFAULT));
    }

    /// Shared by writer and reader.
    template <typename Qos>
    Qos reliable(Qos qos) {
        qos.reliability().kind = fast::RELIABLE_RELIABILITY_QOS;
        qos.reliability().max_blocking_time = {PATIENCE, 0};
        qos.history().kind = fast::KEEP_ALL_HISTORY_QOS;
        auto &limits = qos.resource_limits();
        limits.max_instances = 1;
        limits.max_samples = limits.max_samples_per_instance = depth;
        limits.allocated_samples = std::min(limits.allocated_samples, depth);
        return qos;
    }
};

}  // namespace

const char *adapter_error() { return what_failed().c_str(); }

void *adapter_join(const char *, uint64_t number, size_t longest, size_t depth) {
    return guarded<void *>(nullptr, [&] { return new Member(number, longest, depth); });
}

void adapter_leave(void *member) { leave<Member>(member); }

void *adapter_sender(void *of, const char *topic) {
    return guarded<void *>(nullptr, [&] {
        auto &member = *static_cast<Member *>(of);
        const auto qos = member.reliable(fast::DATAWRITER_QOS_DEFAULT);
        return made("create_datawriter", member.publisher->create_datawriter(member.topic(topic), qos));
    });
}

void *adapter_receiver(void *of, const char *topic) {
    return guarded<void *>(nullptr, [&] {
        auto &member = *static_cast<Member *>(of);
        const auto qos = member.reliable(fast::DATAREADER_QOS_DEFAULT);
        auto receiver = std::make_unique<Receiver>();
        receiver->reader = made("create_datareader", member.subscriber->create_datareader(member.topic(topic), qos));
        auto &condition = receiver->reader->get_statuscondition();
        done("set_enabled_statuses", condition.set_enabled_statuses(fast::StatusMask::data_available()));
        done("attach_condition", receiver->waits.attach_condition(condition));
        member.receivers.push_back(std::move(receiver));
        return member.receivers.back().get();
    });
}

int adapter_send(void *sender, const uint8_t *bytes, size_t length) {
    return guarded(static_cast<int>(FAILED), [&] {
        Bytes sample;
        sample.data = bytes;
        sample.length = static_cast<uint32_t>(length);
        if (!static_cast<fast::DataWriter *>(sender)->write(&sample)) {
            throw std::runtime_error("DataWriter::write failed");
        }
        return 0;
    });
}

int64_t adapter_poll(void *receiver, uint8_t *to, size_t room) {
    return guarded(FAILED, [&] { return static_cast<Receiver *>(receiver)->take(to, room); });
}

int64_t adapter_wait(void *of, uint8_t *to, size_t room) {
    return guarded(FAILED, [&] {
        auto &receiver = *static_cast<Receiver *>(of);
        const int64_t length = receiver.take(to, room);
        if (length != NONE) {
            return length;
        }
        fast::ConditionSeq active;
        const ReturnCode_t code = receiver.waits.wait(active, {1, 0});
        if (code != ReturnCode_t::RETCODE_TIMEOUT) {
            done("WaitSet::wait", code);
        }
        return receiver.take(to, room);
    });
}
